import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { StorablePieces } from '../../common/postgres-text';
import { Config } from '../../platform/config/config';
import { Metrics } from '../../platform/observability/metrics';
import { inSpan } from '../../platform/observability/spans';
import { answerAttributes, chatSpanOptions } from './chat-span';
import type { Completion, CompletionRequest, OnText, Provider } from './provider';
import { ProviderError } from './provider.error';

/** How one model call ended. A failure is a value here: it concerns only its model. */
export type CallOutcome = Answered | Failed;

interface Measured {
  /** Milliseconds of the successful attempt, or until the failure of all. */
  latencyMs: number;
  attempts: number;
  /** Milliseconds of all attempts and the pauses between them. */
  totalMs: number;
}

export interface Answered extends Measured {
  completion: Completion;
  /** Milliseconds to the first text; null if there was none, or if the answer was asked for as a whole. */
  ttftMs: number | null;
}

export interface Failed extends Measured {
  failure: ProviderError;
}

const INITIAL_BACKOFF_MS = 250;

// Shared by all calls: a separate error with a stack would cost a call more than its deadline does.
const DEADLINE_EXCEEDED = new Error('The deadline of the model call has passed.');
const CALL_ENDED = new Error('The model call has ended.');

/** Calls one model under one deadline over headers, body and retries together. The only retry policy of the service. */
@Injectable()
export class ModelCallService {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /** Calls `onText` as the text arrives and resolves to the outcome; a failure of the vendor never throws. */
  async callWithRetries(provider: Provider, request: CompletionRequest, onText: OnText): Promise<CallOutcome> {
    const startMs = this.clock.monotonicMs();
    const timeoutMs = Math.min(this.config.MODEL_TIMEOUT_MS, this.config.EVAL_TIMEOUT_MS);
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(DEADLINE_EXCEEDED), timeoutMs);
    try {
      let reason = 'first';
      for (let attempts = 1; ; attempts += 1) {
        this.metrics.vendorAttempts.inc({ provider: provider.vendor, reason });
        try {
          const answered = await inSpan(
            `chat ${request.model}`,
            async (span) => {
              const answer = await this.attempt(provider, request, abort.signal, onText);
              span?.setAttributes(answerAttributes(answer));
              return answer;
            },
            () => chatSpanOptions(provider, request, attempts),
          );
          return { ...answered, attempts, totalMs: this.clock.monotonicMs() - startMs };
        } catch (error) {
          const failure = asFailure(error);
          const backoffMs = this.backoffMs(failure, attempts, startMs + timeoutMs);
          if (backoffMs === undefined) {
            // A provider holds no connection after it has failed; this makes sure of it.
            abort.abort(CALL_ENDED);
            return { failure, attempts, latencyMs: this.since(startMs), totalMs: this.clock.monotonicMs() - startMs };
          }
          reason = failure.code;
          await delay(backoffMs);
        }
      }
    } finally {
      clearTimeout(timer);
    }
  }

  private async attempt(
    provider: Provider,
    request: CompletionRequest,
    signal: AbortSignal,
    onText: OnText,
  ): Promise<Omit<Answered, 'attempts' | 'totalMs'>> {
    const startMs = this.clock.monotonicMs();
    let ttftMs: number | null = null;
    const pieces = new StorablePieces();
    const say = (text: string) => {
      if (text !== '') onText(text);
    };
    const completion = await provider
      .complete(request, signal, (text) => {
        if (request.isStreamed) ttftMs ??= this.since(startMs);
        say(pieces.next(text));
      })
      .catch((error: unknown) => {
        throw signal.aborted ? new ProviderError('timeout', { cause: error }) : asFailure(error);
      });
    say(pieces.end());
    return { completion, ttftMs, latencyMs: this.since(startMs) };
  }

  /** Milliseconds to wait before the next attempt; undefined when there must not be one. */
  private backoffMs(failure: ProviderError, attempts: number, deadlineMs: number): number | undefined {
    if (!failure.retryable || failure.afterFirstByte || failure.code === 'timeout') return undefined;
    if (attempts > this.config.MAX_VENDOR_RETRIES) return undefined;
    const backoffMs = failure.retryAfterMs ?? INITIAL_BACKOFF_MS * 2 ** (attempts - 1);
    return this.clock.monotonicMs() + backoffMs < deadlineMs ? backoffMs : undefined;
  }

  private since(instant: number): number {
    return Math.round(this.clock.monotonicMs() - instant);
  }
}

function asFailure(error: unknown): ProviderError {
  return error instanceof ProviderError
    ? error
    : new ProviderError('internal_error', { afterFirstByte: true, cause: error });
}
