import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import { redact } from './redaction';

/** Field names whose values never reach a log line, at any of the depths we log at. `detail` is where Postgres quotes whole rows. */
const NEVER_LOGGED = ['authorization', 'apiKey', 'api_key', 'key', 'secret', 'password', 'headers', 'detail'];
/** What users send and get; logged only where LOG_PROMPTS says so. */
const PROMPTS = ['prompt', 'input', 'output'];

/** What is logged of an error. Others hold what was being worked on: Postgres quotes whole rows in `detail`, SDKs keep request and answer. */
const TOLD_OF_ERRORS = ['type', 'message', 'stack', 'code', 'constraint', 'table', 'status', 'statusCode'];

/** The process's logger: JSON lines on stdout, secrets and (unless wanted) prompts cut out by name, our own secrets also word for word. */
export function createLogger(level: string, withPrompts: boolean): Logger {
  const hidden = withPrompts ? NEVER_LOGGED : [...NEVER_LOGGED, ...PROMPTS];
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    hooks: { streamWrite: redact },
    serializers: { err: toldOf },
    redact: { paths: hidden.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), remove: true },
  });
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

// How long, and with how many others, a line waits to be written.
const LOG_WAITS_MS = 100;
const MOST_LINES = 32;

/** Takes the one line of a request. */
export type RequestLog = (level: 'info' | 'debug', line: RequestLine) => void;

/** Writes the one line of each request, as the logger would, in bundles: pino takes several times as long for a line as it takes to make it. */
export function createRequestLog(threshold: string): RequestLog {
  const logger = pino({ level: threshold });
  const isWritten = { info: logger.isLevelEnabled('info'), debug: logger.isLevelEnabled('debug') };
  if (!isWritten.info) return () => undefined;
  const output = pino.destination({ dest: 1 });
  let lines: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    output.write(redact(lines.join('')));
    lines = [];
  };
  process.once('exit', () => { if (lines.length > 0) write(); });
  return (level, line) => {
    if (!isWritten[level]) return;
    lines.push(`{"level":"${level}"${pino.stdTimeFunctions.isoTime()},${JSON.stringify({ ...line, msg: 'request' }).slice(1)}\n`);
    timer ??= setTimeout(write, LOG_WAITS_MS).unref();
    if (lines.length >= MOST_LINES) write();
  };
}

function toldOf(error: Error): object {
  const all = Object.entries(pino.stdSerializers.err(error));
  return Object.fromEntries(all.filter(([name]) => TOLD_OF_ERRORS.includes(name)));
}

/** Where Nest says why a start failed, which main says too, in words for the operator. */
const TOLD_BY_MAIN = new Set(['NestApplication', 'ExceptionHandler']);

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
    if (context !== undefined && TOLD_BY_MAIN.has(context)) this.debug(message, context);
    else if (typeof message === 'object' && message !== null && !(message instanceof Error)) this.logger.error({ context, ...message });
    else this.logger.error({ context, stack }, String(message));
  }
}
