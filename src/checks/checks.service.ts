import { Injectable } from '@nestjs/common';
import { ApiError } from '../common/errors';
import { FairQueue } from '../background/fair-queue';
import type { Check } from './check';
import { CheckThreadService, type Undecided } from './check-thread.service';
import { decideInline, isInline, type CheckedAnswer } from './inline-checks';
import type { ThreadAnswer, ThreadTask } from './threaded-checks';
import { skippedVerdict, verdictOf, type Verdict } from './verdict';

/** Checks of more characters take turns of the event loop, one turn at a time over all requests: others have theirs in between. */
const MAX_CHARACTERS_PER_TURN = 65_536;

/** A job of a check for the thread, and the position of its verdict. */
interface Pending {
  task: ThreadTask;
  settle: (answer: ThreadAnswer | Undecided) => void;
}

/** The characters that one call has read in this turn, and its jobs for the thread. */
interface Batch {
  pending: Pending[];
  characters: number;
}

/** Decides checks: cheap ones at once, the others in a thread. */
@Injectable()
export class ChecksService {
  private readonly turns = new FairQueue();

  constructor(private readonly thread: CheckThreadService) {}

  /** Compiles the patterns and schemas of checks. @throws ApiError invalid_request for an unusable one, overloaded if there was no time to compile */
  async refuseUnusable(userId: string, checks: readonly Check[]): Promise<void> {
    const compiled = checks.flatMap((check, position) => (check.type === 'regex' || (check.type === 'json' && check.schema !== undefined) ? [{ check, position }] : []));
    const answers = await this.thread.run(userId, compiled.map(({ check }) => ({ kind: 'try', check })));
    for (const [index, { check, position }] of compiled.entries()) refuseUnless(answers[index] ?? {}, `checks[${position}].${check.type === 'regex' ? 'pattern' : 'schema'}`);
  }

  /** The verdicts on each answer, in the order of the checks; undefined stands for a model that gave none. */
  async verdicts(userId: string, checks: readonly Check[], answers: readonly (CheckedAnswer | undefined)[]): Promise<Verdict[][]> {
    const batch: Batch = { pending: [], characters: 0 };
    const verdicts: Verdict[][] = [];
    for (const answer of answers) verdicts.push(await this.verdictsOn(answer, checks, batch));
    const decided = await this.thread.run(userId, batch.pending.map(({ task }) => task));
    for (const [index, { settle }] of batch.pending.entries()) settle(decided[index] ?? {});
    return verdicts;
  }

  /** The verdicts on one answer; checks that need the thread are added to the batch, and fill their gaps later. */
  private async verdictsOn(answer: CheckedAnswer | undefined, checks: readonly Check[], batch: Batch): Promise<Verdict[]> {
    if (answer === undefined) return checks.map(skippedVerdict);
    const verdicts: Verdict[] = [];
    for (const [position, check] of checks.entries()) {
      if (isInline(check, answer.text)) {
        await this.turnFor(answer.text, batch);
        verdicts[position] = verdictOf(check, decideInline(check, answer));
      } else {
        batch.pending.push({ task: { kind: 'decide', check, text: answer.text }, settle: (found) => { verdicts[position] = verdictOf(check, 'isMet' in found || 'undecided' in found ? found : { undecided: 'It could not be decided.' }); } });
      }
    }
    return verdicts;
  }

  private async turnFor({ length }: string, batch: Batch): Promise<void> {
    batch.characters += length;
    if (batch.characters <= MAX_CHARACTERS_PER_TURN) return;
    batch.characters = length;
    await new Promise<void>((resolve) => this.turns.enqueue(resolve));
  }
}

function refuseUnless(answer: ThreadAnswer | Undecided, param: string): void {
  if ('problem' in answer && answer.problem !== undefined) throw new ApiError('invalid_request', { message: `${param}${answer.problem}.`, param });
  if (!('undecided' in answer)) return;
  if ('isBusy' in answer) throw new ApiError('overloaded', { message: 'Too many checks are being compiled; nothing was run or charged. Try again after Retry-After seconds.', retryAfterSeconds: 2 });
  throw new ApiError('invalid_request', { message: `${param} takes too much time or memory to compile.`, param });
}
