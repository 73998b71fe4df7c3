import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { redact } from './redaction';

/** Fields that are never logged, at any of the depths we log at. `detail` is where Postgres quotes whole rows. */
const SECRET_FIELDS = ['authorization', 'apiKey', 'api_key', 'key', 'secret', 'password', 'headers', 'detail'];
/** The texts of users and models; logged only with LOG_PROMPTS. */
const PROMPT_FIELDS = ['prompt', 'input', 'output'];

/**
 * The fields of an error that are logged. Others hold what was being worked on: Postgres quotes whole rows in `detail`,
 * SDKs keep request and response.
 */
const ERROR_FIELDS = ['type', 'message', 'stack', 'code', 'constraint', 'table', 'status', 'statusCode'];

/**
 * The form of every line: a JSON object with level, ISO time, fields and message; our own secrets are redacted wherever
 * they appear.
 */
const LINE_FORMAT: LoggerOptions = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  hooks: { streamWrite: redact },
};

/**
 * The logger of the process: JSON lines on stdout, without secret fields and, unless wanted, without prompts; `fields`
 * are what each line has beside its own, and `onDropped` is called for each line that cannot be written.
 */
export function createLogger(
  level: string,
  withPrompts: boolean,
  fields?: () => object,
  onDropped: () => void = () => undefined,
): Logger {
  const hidden = withPrompts ? SECRET_FIELDS : [...SECRET_FIELDS, ...PROMPT_FIELDS];
  return pino(
    {
      ...LINE_FORMAT,
      level,
      ...(fields !== undefined && { mixin: fields }),
      serializers: { err: serializeError },
      redact: { paths: hidden.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), remove: true },
    },
    immediateDestination(onDropped),
  );
}

/**
 * Writes each line at once. A line that cannot be written, as on a full disk, is dropped with its destination, which
 * would try it again for ever.
 */
function immediateDestination(onDropped: () => void): DestinationStream {
  let current: ReturnType<typeof pino.destination> | undefined;
  const fail = () => {
    current = undefined;
  };
  return {
    write: (line) => {
      const destination = (current ??= pino.destination({ dest: process.stdout.fd, sync: true }).on('error', fail));
      destination.write(line);
      if (current === undefined) onDropped();
    },
  };
}

/** The line of a request. Holds nothing else, because its logger removes no fields. */
export interface RequestLine {
  reqId: string;
  method: string;
  /** Without the query, which may hold anything. */
  path: string;
  /** The pattern of its route; undefined where none serves it. */
  route: string | undefined;
  status: number;
  /** Milliseconds from the request's head to the end of its response. */
  ms: number;
  /** Code of the error that was answered. */
  code: string | undefined;
  userId: string | undefined;
  keyId: string | undefined;
  /** The eval that the request has made or replayed. */
  evalId: string | undefined;
  /** The trace of the request, where traces are on. */
  traceId: string | undefined;
}

/** How long a line waits for others to be written with it, at most. */
const FLUSH_INTERVAL_MS = 100;
/**
 * The largest write to a pipe that never mixes with another one (PIPE_BUF on Linux): the lines of `createLogger`, and
 * of other workers, go to the same one.
 */
const MAX_WRITE_BYTES = 4096;
/** The maximum number of lines in memory while stdout is not read; later lines are dropped. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

/**
 * The logger of the request lines. It writes many at once and asynchronously, and what is left when the process exits;
 * `onDropped` is called for each line that it gives up.
 */
export function createRequestLogger(level: string, onDropped: () => void = () => undefined): Logger {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: MAX_WRITE_BYTES - 1,
    maxWrite: MAX_WRITE_BYTES,
    maxLength: MAX_BUFFERED_BYTES,
    periodicFlush: FLUSH_INTERVAL_MS,
  });
  let isFailing = false;
  // Every flush tries buffered lines again, so it goes on by itself when the disk has space.
  destination
    .on('error', () => {
      isFailing = true;
    })
    .on('drain', () => {
      isFailing = false;
    })
    .on('drop', onDropped);
  // Its own flush at the exit would try for ever.
  process.prependListener('exit', () => {
    if (isFailing) destination.destroy();
  });
  return pino({ ...LINE_FORMAT, level }, { write: (line) => void (isFailing ? onDropped() : destination.write(line)) });
}

/** The beginning of what MikroORM adds to a message: Postgres quotes whole rows there. */
const DETAIL = '\n - detail: ';

function serializeError(error: Error): object {
  const message = String(error.message);
  const [shown = ''] = message.split(DETAIL);
  return Object.fromEntries(
    Object.entries(pino.stdSerializers.err(error))
      .filter(([name]) => ERROR_FIELDS.includes(name))
      .map(([name, value]) => [
        name,
        typeof value === 'string' ? value.replaceAll(message, shown) : (value as unknown),
      ]),
  );
}

/** Contexts in which Nest logs why a start failed; main.ts prints that too, in words for the operator. */
const PRINTED_BY_MAIN = new Set(['NestApplication', 'ExceptionHandler']);

/** Sends Nest's own messages to pino; those of its start-up at debug. */
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

  /** A plain object is logged as fields. */
  error(message: unknown, stack?: string, context?: string): void {
    if (context !== undefined && PRINTED_BY_MAIN.has(context)) this.debug(message, context);
    else if (typeof message === 'object' && message !== null && !(message instanceof Error))
      this.logger.error({ context, ...message });
    else this.logger.error({ context, stack }, String(message));
  }
}
