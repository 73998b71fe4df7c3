import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DOCS_SCRIPT, DOCS_STYLE, docsPage, LINKS, README_PATH } from './docs-page.files';

const compress = promisify(gzip);
const PACKAGE_FILE = require.resolve('swagger-ui-dist/package.json');
/** Of the repository, or beside `dist` in the image. */
const README_FILE = join(__dirname, '../../../../../README.md');
const { version } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { version: string };

/** A file of the page, with its raw and compressed bytes. */
export interface PageFile {
  path: string;
  type: string;
  read: () => Promise<{ plain: Buffer; zipped: Buffer }>;
}

/** Serves the API document as JSON, compressed for browsers; it is written on the first request for it. */
export function serveJsonDocument(adapter: FastifyAdapter, path: string, createDocument: () => object): void {
  const file: PageFile = {
    path,
    type: 'application/json',
    read: once(async () => Buffer.from(JSON.stringify(createDocument()))),
  };
  adapter.getInstance().get(path, (request, reply) => send(file, 'no-store', request, reply));
}

/**
 * Serves Swagger UI at /docs: a custom page with the bundle of its package. Its files have their version in their
 * address, so browsers keep them.
 */
export function serveDocsPage(adapter: FastifyAdapter): void {
  const server = adapter.getInstance();
  const styles = [fileOfPackage('swagger-ui.css', 'text/css'), fileOfText('docs.css', 'text/css', DOCS_STYLE)];
  const scripts = [
    fileOfPackage('swagger-ui-bundle.js', 'text/javascript'),
    fileOfText('docs.js', 'text/javascript', DOCS_SCRIPT),
  ];
  const addresses = { styles: styles.map(({ path }) => path), scripts: scripts.map(({ path }) => path) };
  // Written on the first request, when it is known what else is served.
  const write = async () =>
    Buffer.from(
      docsPage({ ...addresses, links: LINKS.filter(({ path }) => server.hasRoute({ method: 'GET', url: path })) }),
    );
  const page: PageFile = { path: '/docs', type: 'text/html', read: once(write) };
  // Browsers would save Markdown instead of showing it.
  const readme: PageFile = { path: README_PATH, type: 'text/plain', read: once(() => readFile(README_FILE)) };
  for (const file of [page, { ...page, path: '/docs/' }, ...(existsSync(README_FILE) ? [readme] : [])])
    server.get(file.path, (request, reply) => send(file, 'no-cache', request, reply));
  for (const file of [...styles, ...scripts])
    server.get(file.path, (request, reply) => send(file, 'public, max-age=31536000, immutable', request, reply));
}

/** Sends a file, compressed if the browser takes that. */
export async function send(
  { type, read }: PageFile,
  cacheControl: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const [{ plain, zipped }, { negotiate }] = await Promise.all([read(), import('@fastify/accept-negotiator')]);
  reply
    .type(type.startsWith('image/') ? type : `${type}; charset=utf-8`)
    .header('cache-control', cacheControl)
    .header('vary', 'Accept-Encoding');
  if (negotiate(String(request.headers['accept-encoding'] ?? '').toLowerCase(), ['gzip']) === null)
    return reply.send(plain);
  return reply.header('content-encoding', 'gzip').send(zipped);
}

function fileOfPackage(name: string, type: string): PageFile {
  return { path: `/docs/${version}/${name}`, type, read: once(() => readFile(join(dirname(PACKAGE_FILE), name))) };
}

function fileOfText(name: string, type: string, text: string): PageFile {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 10);
  return { path: `/docs/${hash}/${name}`, type, read: once(async () => Buffer.from(text)) };
}

/**
 * Reads and compresses a file on the first request for it; the page is seldom asked for, and a service without readers
 * keeps nothing of it in memory.
 */
export function once(load: () => Promise<Buffer>): PageFile['read'] {
  let loaded: ReturnType<PageFile['read']> | undefined;
  // A failure is that of the readers who waited, and not of all later ones.
  const forget = (error: unknown) => {
    loaded = undefined;
    throw error;
  };
  return () =>
    (loaded ??= load()
      .then(async (plain) => ({ plain, zipped: await compress(plain) }))
      .catch(forget));
}
