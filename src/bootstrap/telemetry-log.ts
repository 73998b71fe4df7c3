import type { DiagLogger } from '@opentelemetry/api';
import { Clock } from '../common/clock';

const INTERVAL_MS = 60_000;
const MAX_REASON_CHARACTERS = 300;

/** The function that writes a line. */
interface Warner {
  warn(facts: object, message: string): void;
}

/**
 * Takes what the SDK of OpenTelemetry complains about: one warning a minute, however much goes wrong, because an
 * exporter without a collector fails again and again.
 */
export class TelemetryLog implements DiagLogger {
  private lastMs = -Infinity;
  private suppressed = 0;

  constructor(
    private readonly log: Warner,
    private readonly clock: Pick<Clock, 'monotonicMs'> = new Clock(),
  ) {}

  error(message: string): void {
    this.complain(message);
  }

  warn(message: string): void {
    this.complain(message);
  }

  info(): void {}

  debug(): void {}

  verbose(): void {}

  private complain(message: string): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.lastMs < INTERVAL_MS) {
      this.suppressed += 1;
      return;
    }
    this.log.warn(
      { reason: reasonIn(message), suppressed: this.suppressed },
      'traces are incomplete; requests are served as usual',
    );
    this.lastMs = nowMs;
    this.suppressed = 0;
  }
}

/** The sentence of an error; the SDK writes errors as JSON, with a stack and what the collector has answered. */
function reasonIn(message: string): string {
  return shortened(sentenceIn(message));
}

function sentenceIn(message: string): string {
  try {
    const { message: sentence, code } = JSON.parse(message) as { message?: unknown; code?: unknown };
    return [sentence, code].filter((part) => typeof part === 'string' || typeof part === 'number').join(', ');
  } catch {
    return message;
  }
}

function shortened(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, MAX_REASON_CHARACTERS);
}
