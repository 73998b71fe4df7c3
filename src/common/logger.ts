import type { LoggerService } from '@nestjs/common';
import { pino, type Logger, type LoggerOptions } from 'pino';

/** Field names whose values never reach a log line, at any of the depths we log at. */
const NEVER_LOGGED = ['authorization', 'apiKey', 'api_key', 'key', 'secret', 'password', 'prompt', 'input', 'output', 'headers'];

const SHARED: LoggerOptions = { base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } };

// Written in pieces of 4 KB, or ten times a second; pino itself writes the rest when the process exits.
const stdout = pino.destination({ dest: 1, minLength: 4096, periodicFlush: 100 });

/** The process's logger: JSON lines on stdout, secrets and prompts cut out by name. */
export function createLogger(level: string): Logger {
  return pino({ ...SHARED, level, redact: { paths: NEVER_LOGGED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), remove: true } }, stdout);
}

/** What the log says of a request; nothing else may get in, because nothing is cut out of it. */
export interface RequestLine {
  reqId: string;
  method: string;
  /** Without its query, which is the caller's business. */
  path: string;
  status: number;
  ms: number;
}

/** Writes the one line of each request. Apart from the logger, because looking for secrets takes five times as long as writing the line. */
export function createRequestLog(level: string): (line: RequestLine) => void {
  const logger = pino({ ...SHARED, level }, stdout);
  return (line) => logger.info(line, 'request');
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
