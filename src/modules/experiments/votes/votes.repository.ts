import { Injectable } from '@nestjs/common';
import { execute } from '../../../platform/database/execute';
import { SqlService } from '../../../platform/database/sql.service';
import { named } from '../../../platform/database/statement-names';
import { isErased } from '../experiment.entity';
import { ExperimentsRepository } from '../experiments.repository';
import { VOTES_VERSION, WITHOUT_VOTES } from '../experiment-columns';
import type { CountedVote } from '../judge/judge-spec';
import type { ExperimentVote } from './experiment-vote.entity';

/** Votes on what judges judged, in Postgres. */
@Injectable()
export class VotesRepository {
  constructor(
    private readonly sql: SqlService,
    private readonly experiments: ExperimentsRepository,
  ) {}

  /** Keeps a vote in place of the voter's earlier one on that item. Returns false if the experiment is gone or erased. */
  async keep(userId: string, vote: ExperimentVote): Promise<boolean> {
    const { experimentId, rowNo, itemNo, voter, winner, isRandom, votedAt } = vote;
    return this.experiments.inTransaction(async (tx) => {
      const experiment = await this.experiments.lock(tx, userId, experimentId);
      if (experiment === null || isErased(experiment)) return false;
      await execute(tx, KEEP, [experimentId, rowNo, itemNo, voter, winner, isRandom, votedAt]);
      // Its figures of votes are old now.
      experiment.summary = null;
      return true;
    });
  }

  /** The number of votes by item of a row. */
  async countByItem(experimentId: string): Promise<Map<number, number>> {
    const counts = await this.sql.query<{ itemNo: number; votes: number }>(COUNT_BY_ITEM, [experimentId]);
    return new Map(counts.map(({ itemNo, votes }) => [itemNo, votes]));
  }

  /** All votes of an experiment, or those of one voter, in the order of their items. */
  async list(experimentId: string, voter: string | null = null): Promise<CountedVote[]> {
    return this.sql.query(LIST, [experimentId, voter]);
  }

  /** Changes with every vote on an experiment. */
  async version(experimentId: string): Promise<string> {
    return (
      (await this.sql.queryOne<{ version: string }>(`select ${VOTES_VERSION} as version`, [experimentId]))?.version ??
      WITHOUT_VOTES
    );
  }

  /** Row and model, with a space between, of the first rows in which a model of a judged experiment gave no answer. */
  async unanswered(experimentId: string, rows: number): Promise<Set<string>> {
    return new Set((await this.sql.query<{ name: string }>(UNANSWERED, [experimentId, rows])).map(({ name }) => name));
  }
}

const KEEP = named(
  'keep_vote',
  `insert into experiment_votes (experiment_id, row_no, item_no, voter, winner, is_random, voted_at) values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (experiment_id, row_no, item_no, voter) do update set winner = excluded.winner, is_random = excluded.is_random, voted_at = excluded.voted_at`,
);

const COUNT_BY_ITEM = `select item_no as "itemNo", count(*)::integer as votes from experiment_votes where experiment_id = $1 group by item_no`;

const LIST = named(
  'list_votes',
  `select row_no as "rowNo", item_no as "itemNo", voter, winner, is_random as "isRandom" from experiment_votes
   where experiment_id = $1 and ($2::text is null or voter = $2) order by row_no, item_no, voter`,
);

const UNANSWERED = `select row_no || ' ' || unnest(missing) as name from experiment_rows where experiment_id = $1 and row_no < $2 and missing is not null`;
