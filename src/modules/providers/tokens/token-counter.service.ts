import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { URGENT_SHARE } from '../../../platform/background/fair-turns';
import { ThreadPoolService } from '../../../platform/background/thread-pool.service';

/** A text could not be counted: too many wait, it took too long, or the thread that counts has ended. */
export class CountingError extends Error {}

/** The caller's deadline for a count, and its priority over callers who can retry. */
export interface CountOptions {
  timeoutMs: number;
  isUrgent?: boolean;
}

const FILE = join(__dirname, 'token-count.worker.js');
const MAX_WAITING_CHARACTERS = 2_000_000;
/** Longer than the longest text takes on a busy machine. */
const MAX_RUN_MS = 30_000;
const ESTIMATES = 'estimates';

/** Counts tokens in the thread pool: the tokenizer takes some 75 MB, which a thread loads with the first text. */
@Injectable()
export class TokenCounterService {
  /** The texts that are being counted, by the share of the waiting callers. */
  private readonly counts = {
    [URGENT_SHARE]: new Map<string, Promise<number>>(),
    [ESTIMATES]: new Map<string, Promise<number>>(),
  };
  private characters = 0;

  constructor(private readonly threads: ThreadPoolService) {}

  /** Loads the tokenizer, for a count that will soon be wanted. */
  warmUp(): void {
    void this.count('', { timeoutMs: MAX_RUN_MS, isUrgent: true }).catch(() => undefined);
  }

  /** Tokens of a text. The same text is counted once for all who wait for it. @throws CountingError */
  async count(text: string, { timeoutMs, isUrgent = false }: CountOptions): Promise<number> {
    const share = isUrgent ? URGENT_SHARE : ESTIMATES;
    const count = this.counts[share].get(text) ?? this.begin(share, text, timeoutMs);
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(() => timeout.reject(new CountingError('Counting took too long.')), timeoutMs);
    try {
      return await Promise.race([count, timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  private begin(share: keyof typeof this.counts, text: string, maxWaitMs: number): Promise<number> {
    // Counts of calls that have been made already get twice the limit, and go first.
    if (this.characters + text.length > MAX_WAITING_CHARACTERS * (share === URGENT_SHARE ? 2 : 1))
      throw new CountingError('Too many texts wait to be counted.');
    this.characters += text.length;
    // An urgent one ends with no deadline of its first caller, because later ones share it.
    const count = this.threads
      .run<number>(share, {
        file: FILE,
        input: text,
        warmUp: '',
        timeoutMs: MAX_RUN_MS,
        ...(share === ESTIMATES && { maxWaitMs }),
      })
      .catch((cause: unknown) => {
        throw new CountingError('The text was not counted.', { cause });
      })
      .finally(() => {
        this.characters -= text.length;
        this.counts[share].delete(text);
      });
    // There may be no caller left to handle the rejection.
    count.catch(() => undefined);
    this.counts[share].set(text, count);
    return count;
  }
}
