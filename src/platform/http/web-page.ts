import { existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors';
import { sendErrorResponse } from './error.filter';
import { PAGE_SCREENS } from './web-pages';

/** The page as the build leaves it, compressed files beside the plain ones. */
const FOLDER = join(__dirname, '../../../page');
const PAGE = 'index.html';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.md': 'text/markdown',
};
const SUFFIXES = { br: '.br', gzip: '.gz' } as const;

/**
 * Serves the page at the addresses of its screens, and each of its files, whose names contain their hash. Answers false
 * when it was not built.
 */
export function serveWebPage(adapter: FastifyAdapter): boolean {
  if (!existsSync(join(FOLDER, PAGE))) return false;
  const server = adapter.getInstance();
  for (const screen of PAGE_SCREENS) server.get(screen, sendPage);
  // One route a file, so that unknown addresses and other methods are answered as everywhere.
  for (const file of filesBesidePage()) server.get(`/${file}`, (request, reply) => sendFile(file, request, reply));
  return true;
}

function filesBesidePage(): string[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file !== PAGE && extname(file) in TYPES);
}

async function sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> {
  const [path = ''] = request.url.split('?', 1);
  // The router takes /shared/ for an eval without a token; /evals/ is the history.
  if (path.endsWith('/shared/'))
    return sendErrorResponse(new ApiError('not_found'), request, reply.header('cache-control', 'no-store'));
  // Shared evals are for people with the link, not for search engines.
  if (path.startsWith('/shared/')) void reply.header('x-robots-tag', 'noindex');
  return await sendFile(PAGE, request, reply);
}

/** Answers with a file, compressed where the browser takes that, or with 304. */
async function sendFile(file: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  // Loaded by the first request: a service whose page is never opened keeps nothing of it in memory.
  const [{ default: send }, { negotiate }] = await Promise.all([
    import('@fastify/send'),
    import('@fastify/accept-negotiator'),
  ]);
  const encoding = negotiate(
    String(request.headers['accept-encoding'] ?? ''),
    Object.keys(SUFFIXES) as (keyof typeof SUFFIXES)[],
  );
  const path = `/${file}${hasCompressed(file) && encoding !== null ? SUFFIXES[encoding] : ''}`;
  const { statusCode, headers, stream } = await send(request.raw, path, {
    root: FOLDER,
    index: false,
    acceptRanges: false,
    cacheControl: false,
    contentType: false,
  });
  if (path !== `/${file}`) void reply.header('content-encoding', encoding);
  return reply
    .code(statusCode)
    .headers(headers)
    .header('content-type', `${TYPES[extname(file)]}; charset=utf-8`)
    .header('vary', 'Accept-Encoding')
    .header('cache-control', file.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    .send(stream);
}

/** The build compresses all but the list of licenses. */
function hasCompressed(file: string): boolean {
  return extname(file) !== '.md';
}
