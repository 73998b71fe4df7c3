import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

/** A text could not be counted: too many wait, it took too long, or the thread that counts has died. */
export class CountingError extends Error {}

/** The caller's deadline for a count, and its priority over callers who can retry. */
export interface CountOptions {
  timeoutMs: number;
  isUrgent?: boolean;
}

interface Job extends PromiseWithResolvers<number> {
  text: string;
  isUrgent: boolean;
  /** Its waiting callers. */
  waiters: number;
}

/** The part of a thread that the service needs. */
export type CountingThread = Pick<Worker, 'postMessage' | 'on' | 'terminate' | 'unref'>;

const MAX_WAITING_CHARACTERS = 2_000_000;
/** Longer than the longest text takes on a busy machine. */
const MAX_RUN_MS = 30_000;
const IDLE_MS = 60_000;

/** Counts tokens in a separate thread, one text after the other. The thread starts with the first text, and ends when there has been none for a minute: the tokenizer takes some 75 MB. */
@Injectable()
export class TokenCounterService implements OnApplicationShutdown {
  private thread: CountingThread | undefined;
  private readonly waiting: Job[] = [];
  private running: Job | undefined;
  private timer: NodeJS.Timeout | undefined;

  onApplicationShutdown(): void {
    this.end('The service is stopping.');
    for (const job of this.waiting.splice(0)) job.reject(new CountingError('The service is stopping.'));
  }

  /** Loads the tokenizer, for a count that will soon be wanted. */
  warmUp(): void {
    if (this.thread === undefined) this.start();
  }

  /** Tokens of a text. The same text is counted once for all who wait for it. @throws CountingError */
  async count(text: string, { timeoutMs, isUrgent = false }: CountOptions): Promise<number> {
    const job = this.found(text) ?? this.enqueued(text, isUrgent);
    job.waiters += 1;
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(() => timeout.reject(new CountingError('Counting took too long.')), timeoutMs);
    try {
      return await Promise.race([job.promise, timeout.promise]);
    } finally {
      clearTimeout(timer);
      job.waiters -= 1;
    }
  }

  /** Starts the thread that counts; tests give another one. */
  protected newThread(): CountingThread {
    return new Worker(join(__dirname, 'token-counter.worker.js'), { execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256 } });
  }

  private found(text: string): Job | undefined {
    return this.jobs().find((job) => job.text === text);
  }

  private jobs(): Job[] {
    return this.running === undefined ? this.waiting : [this.running, ...this.waiting];
  }

  private enqueued(text: string, isUrgent: boolean): Job {
    const characters = this.jobs().reduce((sum, job) => sum + job.text.length, text.length);
    // Counts of calls that have been made already get twice the limit, and go first.
    if (characters > MAX_WAITING_CHARACTERS * (isUrgent ? 2 : 1)) throw new CountingError('Too many texts wait to be counted.');
    const job = { ...Promise.withResolvers<number>(), text, isUrgent, waiters: 0 };
    // There may be no caller left to handle the rejection.
    job.promise.catch(() => undefined);
    const index = isUrgent ? this.waiting.findIndex((other) => !other.isUrgent) : -1;
    this.waiting.splice(index < 0 ? this.waiting.length : index, 0, job);
    // In a microtask, so that the caller is registered as a waiter first.
    queueMicrotask(() => this.next());
    return job;
  }

  private next(): void {
    if (this.running !== undefined) return;
    let job = this.waiting.shift();
    while (job?.waiters === 0) job = this.waiting.shift();
    this.running = job;
    if (job === undefined) return;
    const thread = this.thread ?? this.start();
    this.after(MAX_RUN_MS, 'Counting took too long.');
    thread.postMessage(job.text);
  }

  private start(): CountingThread {
    const thread = this.newThread();
    thread.unref();
    thread.on('message', (tokens: number) => {
      if (thread === this.thread) this.answered(tokens);
    });
    const ended = (cause: unknown) => {
      if (thread === this.thread) this.end('The thread that counts has ended.', cause);
    };
    thread.on('error', ended);
    thread.on('exit', ended);
    this.thread = thread;
    this.after(IDLE_MS, 'Nothing to count.');
    return thread;
  }

  private answered(tokens: number): void {
    this.running?.resolve(tokens);
    this.running = undefined;
    this.after(IDLE_MS, 'Nothing to count.');
    this.next();
  }

  /** Lets go of the thread, and of the text it was counting; the next text starts another. */
  private end(reason: string, cause?: unknown): void {
    clearTimeout(this.timer);
    const { thread, running } = this;
    this.thread = undefined;
    this.running = undefined;
    void thread?.terminate();
    running?.reject(new CountingError(reason, { cause }));
    if (this.waiting.length > 0) this.next();
  }

  private after(ms: number, reason: string): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(reason), ms).unref();
  }
}
