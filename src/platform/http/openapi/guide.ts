import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from '../method-not-allowed';
import { GUIDE_PATH } from '../web-pages';
import { once, send, type PageFile } from './docs-page';

/** The documents as pages, as the build leaves them. */
const FOLDER = join(__dirname, '../../../../guide');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
};
const NOT_FOUND = `${GUIDE_PATH}/404`;

/** Serves the documents at /docs/guide, and llms.txt. Any other address below answers with a page that says so. */
export function serveGuide(adapter: FastifyAdapter): void {
  if (!existsSync(FOLDER)) return;
  const server = adapter.getInstance();
  let listed: Map<string, PageFile> | undefined;
  // The service may run without the page.
  const files = () => (listed ??= filesByPath(server.hasRoute({ method: 'GET', url: '/' })));
  for (const url of [GUIDE_PATH, `${GUIDE_PATH}/*`, '/llms.txt'])
    server.get(url, (request, reply) => sendGuide(files(), request, reply));
}

async function sendGuide(
  files: Map<string, PageFile>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const path = pathOf(request.url);
  const usual = path
    .toLowerCase()
    .replace(/\/{2,}/g, '/')
    .replace(/\/$|\.html$/, '');
  if (path !== usual && files.has(usual)) return reply.redirect(usual, 308);
  const file = path === NOT_FOUND ? undefined : files.get(path);
  const shown = file ?? files.get(NOT_FOUND);
  if (shown === undefined) throw new Error('The build of the guide is incomplete.');
  if (file === undefined) void reply.code(404);
  return await send(
    shown,
    path.endsWith('.css') && file !== undefined ? 'public, max-age=31536000, immutable' : 'no-cache',
    request,
    reply,
  );
}

/** Requests choose among these files only; no path of theirs is ever opened. */
function filesByPath(hasPage: boolean): Map<string, PageFile> {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => extname(name) in TYPES);
  return new Map(
    names.map((name) => {
      const path =
        name === 'llms.txt'
          ? '/llms.txt'
          : name === 'index.html'
            ? GUIDE_PATH
            : `${GUIDE_PATH}/${name.replace(/\.html$/, '')}`;
      const load = async () => {
        const content = await readFile(join(FOLDER, name));
        return hasPage || !name.endsWith('.html')
          ? content
          : Buffer.from(String(content).replace(/<a class="to-page".*?<\/a>/, ''));
      };
      return [path, { path, type: TYPES[extname(name)] ?? '', read: once(load) }];
    }),
  );
}
