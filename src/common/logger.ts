import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';

/** Field names whose values never reach a log line, at any of the depths we log at. */
const NEVER_LOGGED = ['authorization', 'apiKey', 'api_key', 'key', 'secret', 'password', 'prompt', 'input', 'output', 'headers'];

/** The process's logger: JSON lines on stdout, secrets and prompts cut out by name. */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: NEVER_LOGGED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), remove: true },
  });
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

  /** An object is an event with fields of its own. */
  error(message: unknown, stack?: string, context?: string): void {
    if (typeof message === 'object' && message !== null && !(message instanceof Error)) this.logger.error({ context, ...message });
    else this.logger.error({ context, stack }, String(message));
  }
}
