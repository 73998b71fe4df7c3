import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { Clock } from '../../../common/clock';
import { ApiError } from '../../../common/errors';
import { Config } from '../../../platform/config/config';
import { isErased, type Experiment } from '../experiment.entity';
import { ExperimentsService } from '../experiments.service';
import { itemsOf, type JudgeKind, type JudgeSpec, type CountedVote, type Winner } from '../judge/judge-spec';
import { JudgedRowsService, type JudgedRow } from '../judge/judged-rows.service';
import { openBallot, sealBallot, type Ballot } from './ballot';
import { drawnItems } from './draw';
import type { BallotDto, VoteDto, VoteRequest } from './votes.dto';
import { VotesRepository } from './votes.repository';

/** Rows that are read for one ballot at most, in search of one with all answers. */
const MAX_LOOKS = 20;

const WINNERS_OF: Readonly<Record<JudgeKind, readonly Winner[]>> = {
  pairwise: ['1', '2', 'tie', 'none'],
  rubric: ['yes', 'no'],
};
const OTHER_ANSWER: Readonly<Partial<Record<Winner, Winner>>> = { '1': '2', '2': '1' };

type Owner = Pick<Caller, 'userId'>;

/** An item with all of its answers, in the order of its models. */
interface Answered {
  item: Pick<Ballot, 'rowNo' | 'itemNo' | 'isRandom'>;
  row: JudgedRow;
  answers: string[];
}

/** Draws ballots and keeps votes. `voter` is a key, or a person with a link. */
@Injectable()
export class VotesService {
  constructor(
    private readonly experiments: ExperimentsService,
    private readonly rows: JudgedRowsService,
    private readonly votes: VotesRepository,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** The next thing to vote on, after `skip` others. @throws ApiError not_found, conflict for an experiment without judges or answers */
  async ballot(owner: Owner, id: string, voter: string, skip = 0): Promise<BallotDto> {
    const { experiment, judge } = await this.judging(owner, id);
    const own = await this.votes.list(id, voter);
    const progress = { voted: own.length, items: judge.rows * itemsOf(judge).length };
    const found = await this.nextAnswered(owner, { experiment, judge, own, skip });
    const { kind, criterion } = judge;
    if (found === undefined)
      return { ballot: null, kind, criterion, input: null, expected: null, answers: [], progress };
    const { item, row, answers } = found;
    const isSwapped = answers.length > 1 && randomInt(2) === 1;
    const ballot = { ...item, experimentId: id, voter, isSwapped };
    return {
      ballot: sealBallot(ballot, this.clock.now(), this.config.API_KEY_PEPPER),
      kind,
      criterion: row.criterion,
      input: row.question,
      expected: row.expected,
      answers: isSwapped ? answers.toReversed() : answers,
      progress,
    };
  }

  /** Keeps a vote. @throws ApiError not_found, conflict, invalid_request for a ballot that was not drawn for this */
  async vote(owner: Owner, id: string, voter: string, { ballot, winner }: VoteRequest): Promise<VoteDto> {
    const { judge } = await this.judging(owner, id);
    const { API_KEY_PEPPER: pepper, API_KEY_PEPPER_PREVIOUS: previous } = this.config;
    const votedAt = this.clock.now();
    const opened = openBallot(ballot, { experimentId: id, voter }, votedAt, [pepper, previous ?? pepper]);
    const winners = WINNERS_OF[judge.kind];
    if (!winners.includes(winner))
      throw new ApiError('invalid_request', {
        message: `winner must be one of ${winners.join(', ')} on this ballot.`,
        param: 'winner',
      });
    const unswapped = (opened.isSwapped ? OTHER_ANSWER[winner] : undefined) ?? winner;
    if (!(await this.votes.keep(owner.userId, { ...opened, winner: unswapped, votedAt }))) throw erased();
    return { winner, voted_at: votedAt.toISOString() };
  }

  private async judging(owner: Owner, id: string): Promise<{ experiment: Experiment; judge: JudgeSpec }> {
    const experiment = await this.experiments.find(owner, id);
    if (isErased(experiment)) throw erased();
    const { judge } = experiment.spec;
    if (judge === undefined) throw conflict('This experiment has no judges; vote on one that was started with judge.');
    if (experiment.reason === 'waiting_for_answers')
      throw conflict('The answers are not complete yet; vote once this experiment runs.');
    return { experiment, judge };
  }

  /** The next item on which the voter has not voted, of which all answers exist; undefined if there is none. */
  private async nextAnswered(
    owner: Owner,
    {
      experiment,
      judge,
      own,
      skip,
    }: { experiment: Experiment; judge: JudgeSpec; own: readonly CountedVote[]; skip: number },
  ): Promise<Answered | undefined> {
    const isVoted = new Set(own.map(({ rowNo, itemNo }) => `${rowNo} ${itemNo}`));
    const unanswered = await this.votes.unanswered(judge.of, judge.rows);
    const items = itemsOf(judge).map((item) => item.map((index) => judge.judged[index] ?? ''));
    let [looks, skipped] = [0, 0];
    for (const item of drawnItems(experiment, judge, await this.votes.countByItem(experiment.id))) {
      const { rowNo, itemNo } = item;
      const models = items[itemNo] ?? [];
      if (isVoted.has(`${rowNo} ${itemNo}`) || models.some((model) => unanswered.has(`${rowNo} ${model}`))) continue;
      skipped += 1;
      if (skipped <= skip) continue;
      const row = await this.rows.read(owner, judge, rowNo);
      const answers = models.flatMap((model) => row?.answers.get(model) ?? []);
      if (row !== undefined && answers.length === models.length) return { item, row, answers };
      looks += 1;
      if (looks === MAX_LOOKS) break;
    }
    return undefined;
  }
}

function erased(): ApiError {
  return conflict('This experiment was erased; vote on another one.');
}

function conflict(message: string): ApiError {
  return new ApiError('conflict', { message });
}
