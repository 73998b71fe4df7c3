import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import { withoutSecrets } from './secrets';

/** Field names whose values never reach a log line, at any of the depths we log at. */
const NEVER_LOGGED = ['authorization', 'apiKey', 'api_key', 'key', 'secret', 'password', 'prompt', 'input', 'output', 'headers'];

/** What is logged of an error. Others hold what was being worked on: Postgres quotes whole rows in `detail`, SDKs keep request and answer. */
const TOLD_OF_ERRORS = ['type', 'message', 'stack', 'code', 'constraint', 'table', 'status', 'statusCode'];

/** The process's logger: JSON lines on stdout, secrets and prompts cut out by name, our own secrets also word for word. */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: toldOf },
    hooks: { streamWrite: withoutSecrets },
    redact: { paths: NEVER_LOGGED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), remove: true },
  });
}

function toldOf(error: Error): object {
  const all = Object.entries(pino.stdSerializers.err(error));
  return Object.fromEntries(all.filter(([name]) => TOLD_OF_ERRORS.includes(name)));
}

/** Lets Nest's own messages go through pino; its start-up chatter is only worth debug. */
export class NestLog implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  debug(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  verbose(message: unknown, context?: string): void {
    this.logger.trace({ context }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, stack?: string, context?: string): void {
    this.logger.error({ context, stack }, String(message));
  }
}
