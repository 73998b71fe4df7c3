// node test/browser/support/bundle-client.mjs: prints the client as one minified module for browsers, without the parts
// that are loaded on demand.
import { join } from 'node:path';
import { build } from 'vite';

const [{ output }] = await build({
  configFile: false,
  logLevel: 'silent',
  build: {
    write: false,
    minify: true,
    lib: { entry: join(import.meta.dirname, '../../../src/clients/client/client.ts'), formats: ['es'] },
  },
});
process.stdout.write(output.find((chunk) => chunk.isEntry).code);
