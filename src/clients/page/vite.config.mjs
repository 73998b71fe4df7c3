import { join } from 'node:path';
import { defineConfig } from 'vite';
import { recordExample } from './record-example.mjs';

const ROOT = join(import.meta.dirname, '../../..');

/** Modules of later parts only. */
const LATER = /\/src\/clients\/page\/(?:evaluation|drift|share|experiments)\//;

/**
 * The page: one script before the first answer, the rest in chunks, one style sheet. Every file but the page itself has
 * its hash in its name.
 */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  define: { RECORDED_RUN: JSON.stringify(await recordExample()) },
  // All styles are loaded by the page itself, so nothing has to be loaded ahead of a chunk.
  plugins: [
    {
      name: 'plain-imports',
      enforce: 'pre',
      load: (id) => (id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : undefined),
    },
  ],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(ROOT, 'dist/page'),
    emptyOutDir: true,
    target: 'es2023',
    cssCodeSplit: false,
    // Nothing may be inlined as a data address, which the page's policy allows for images only.
    assetsInlineLimit: 0,
    // Chunks are few and near: the code that would name each one's own imports ahead weighs more than it saves.
    modulePreload: false,
    license: { fileName: 'licenses.md' },
    reportCompressedSize: false,
    // Modules of the first script stay in it; modules shared by several later parts are one file instead of many small
    // ones.
    // On a busy machine it would complain about its own time.
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: 'later', minShareCount: 2, test: (id) => LATER.test(id) }],
        },
      },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:3000', '/docs': 'http://127.0.0.1:3000' } },
});
