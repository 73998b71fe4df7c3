import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors';
import { sendErrorResponse } from './error.filter';
import { PLAYGROUND_SCREENS } from './pages';

/** The page as the build leaves it, compressed files beside the plain ones. */
const FOLDER = join(__dirname, '../../playground');
const PAGE = 'index.html';

/** Serves the page at the addresses of its screens, and its files, whose names contain their hash, under /assets. Answers false when it was not built. */
export function servePlayground(adapter: FastifyAdapter): boolean {
  if (!existsSync(join(FOLDER, PAGE))) return false;
  // A scope of its own: one route a file, so that unknown addresses and other methods are answered as everywhere.
  adapter.getInstance().register(async (scope) => {
    await scope.register(fastifyStatic, {
      root: FOLDER,
      wildcard: false,
      index: false,
      preCompressed: true,
      globIgnore: ['**/*.br', '**/*.gz', PAGE],
      acceptRanges: false,
      cacheControl: false,
      setHeaders: (reply, path) => {
        void reply.header('vary', 'Accept-Encoding');
        void reply.header('cache-control', path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
    for (const screen of PLAYGROUND_SCREENS) scope.get(screen, sendPage);
  });
  return true;
}

function sendPage(request: FastifyRequest, reply: FastifyReply): FastifyReply | void {
  // The router takes /evals/ for an eval without an id.
  if (request.url.split('?', 1)[0]?.endsWith('/evals/') === true) return sendErrorResponse(new ApiError('not_found'), request, reply.header('cache-control', 'no-store'));
  return reply.sendFile(PAGE);
}
