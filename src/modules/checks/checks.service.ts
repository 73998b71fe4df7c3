import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { TaskError, ThreadPoolService } from '../../platform/background/thread-pool.service';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { isBoundedTask, type CheckTask, type ThreadAnswer } from './check-task';
import type { CheckedAnswer, Finding } from './check-type';
import { charactersRead, decideInline, isInline } from './inline-checks';
import { typeOf, type Check } from './types';
import { skippedVerdict, verdictOf, type Verdict } from './verdict';

const FILE = join(__dirname, 'checks.worker.js');
/** Inline checks of one call read this number of characters on the event loop; the rest is read in the thread pool. */
const MAX_INLINE_CHARACTERS = 262_144;
/** Milliseconds that the decision of one check may take, as of a pattern, a schema or a similarity. */
const CHECK_TIMEOUT_MS = 500;
/**
 * Multiples of CHECK_TIMEOUT_MS: the wait of the checks of one call for their turns, their time, and the time of a
 * compilation, which a busy machine makes long.
 */
const MAX_WAITING_TIMEOUTS = 10;
const MAX_USED_TIMEOUTS = 4;
const MAX_COMPILE_TIMEOUTS = 4;
/** Of a check whose time grows with the length of the text only: longer than it takes on a busy machine. */
const MAX_BOUNDED_MS = 30_000;

interface Undecided {
  undecided: string;
  isBusy?: true;
}

const BUSY: Undecided = { undecided: 'Too many checks were waiting.', isBusy: true };
const LEFT_OUT: Undecided = { undecided: 'It was not looked at, because the checks before it took too long.' };
const UNDECIDED: Undecided = { undecided: 'It could not be decided.' };

/** A check that the thread pool decides, and the position of its verdict. */
interface Pending {
  check: Check;
  text: string;
  settle: (finding: Finding) => void;
}

/** Decides checks: cheap ones at once, the others in the thread pool. */
@Injectable()
export class ChecksService {
  constructor(
    private readonly threads: ThreadPoolService,
    private readonly clock: Clock,
  ) {}

  /**
   * Compiles the patterns and schemas of checks. @throws ApiError invalid_request for an unusable one, overloaded if
   * there was no time to compile
   */
  async refuseUnusable(userId: string, checks: readonly Check[]): Promise<void> {
    const compiled = checks.flatMap((check, position) => {
      const member = typeOf(check).compiled?.member;
      return member === undefined || check[member] === undefined
        ? []
        : [{ check, param: `checks[${position}].${member}` }];
    });
    await this.refuseUncompiled(userId, compiled);
  }

  /** Compiles a schema with the bounds of those of checks. @throws ApiError as `refuseUnusable` */
  async refuseUnusableSchema(userId: string, schema: object, param: string): Promise<void> {
    await this.refuseUncompiled(userId, [
      { check: { type: 'json', schema, name: '', weight: 1, not: false, allow_fence: false }, param },
    ]);
  }

  private async refuseUncompiled(userId: string, compiled: readonly { check: Check; param: string }[]): Promise<void> {
    const answers = await this.inThread(
      userId,
      compiled.map(({ check }) => ({ kind: 'try', check })),
    );
    for (const [index, { param }] of compiled.entries()) refuseUnless(answers[index] ?? {}, param);
  }

  /** The verdicts on each answer, in the order of the checks; undefined stands for a model that gave none. */
  async verdicts(
    userId: string,
    checks: readonly Check[],
    answers: readonly (CheckedAnswer | undefined)[],
  ): Promise<Verdict[][]> {
    const pending: Pending[] = [];
    let characters = 0;
    const verdicts = answers.map((answer) => {
      if (answer === undefined) return checks.map(skippedVerdict);
      const ofAnswer: Verdict[] = [];
      for (const [position, check] of checks.entries()) {
        const settle = (finding: Finding) => {
          ofAnswer[position] = verdictOf(check, finding);
        };
        if (isInline(check, answer.text) && (characters += charactersRead(check, answer.text)) <= MAX_INLINE_CHARACTERS)
          settle(decideInline(check, answer));
        else pending.push({ check, text: answer.text, settle });
      }
      return ofAnswer;
    });
    const found = await this.inThread(
      userId,
      pending.map(({ check, text }) => ({ kind: 'decide', check, text })),
    );
    for (const [index, { settle }] of pending.entries()) settle(findingOf(found[index] ?? UNDECIDED));
    return verdicts;
  }

  /** Does the tasks of a user one after the other and returns their answers in the same order; nothing is thrown. */
  private async inThread(userId: string, tasks: readonly CheckTask[]): Promise<(ThreadAnswer | Undecided)[]> {
    const answers: (ThreadAnswer | Undecided)[] = [];
    const [deadline, used, own] = [
      this.clock.monotonicMs() + MAX_WAITING_TIMEOUTS * CHECK_TIMEOUT_MS,
      { usedMs: 0 },
      { usedMs: 0 },
    ];
    let ended: Undecided | undefined;
    for (const task of tasks) {
      const meter = isBoundedTask(task) ? own : used;
      const answer =
        ended ??
        (await this.attempt(userId, task, {
          meter,
          maxWaitMs: deadline + own.usedMs + used.usedMs - this.clock.monotonicMs(),
        }));
      if (answer === BUSY) ended = BUSY;
      if (used.usedMs > MAX_USED_TIMEOUTS * CHECK_TIMEOUT_MS) ended ??= LEFT_OUT;
      answers.push(answer);
    }
    return answers;
  }

  private async attempt(
    userId: string,
    task: CheckTask,
    limits: { meter: { usedMs: number }; maxWaitMs: number },
  ): Promise<ThreadAnswer | Undecided> {
    const timeoutMs = isBoundedTask(task)
      ? MAX_BOUNDED_MS
      : (task.kind === 'try' ? MAX_COMPILE_TIMEOUTS : 1) * CHECK_TIMEOUT_MS;
    try {
      return await this.threads.run<ThreadAnswer>(userId, {
        file: FILE,
        input: task,
        warmUp: { kind: 'start' },
        timeoutMs,
        ...limits,
      });
    } catch (error) {
      return reasonOf(error, timeoutMs);
    }
  }
}

function reasonOf(error: unknown, timeoutMs: number): Undecided {
  if (!(error instanceof TaskError)) throw error;
  switch (error.reason) {
    case 'busy':
      return BUSY;
    case 'stopping':
      return { undecided: 'The service is stopping.', isBusy: true };
    case 'timeout':
      return { undecided: `It took longer than ${timeoutMs} ms.` };
    case 'memory':
      return { undecided: 'It took more memory than a check may take.' };
    case 'failed':
      return UNDECIDED;
  }
}

function findingOf(answer: ThreadAnswer | Undecided): Finding {
  return 'isMet' in answer || 'undecided' in answer ? answer : UNDECIDED;
}

function refuseUnless(answer: ThreadAnswer | Undecided, param: string): void {
  if ('problem' in answer && answer.problem !== undefined)
    throw new ApiError('invalid_request', { message: `${param}${answer.problem}.`, param });
  if (!('undecided' in answer)) return;
  if ('isBusy' in answer)
    throw new ApiError('overloaded', {
      message: 'Too many checks are being compiled; nothing was run or charged. Try again after Retry-After seconds.',
      retryAfterSeconds: 2,
    });
  throw new ApiError('invalid_request', { message: `${param} takes too much time or memory to compile.`, param });
}
