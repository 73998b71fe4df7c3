import { Injectable } from '@nestjs/common';
import { execute } from '../../database/execute';
import type { Transaction } from '../../database/transaction';
import { Experiment } from '../experiment.entity';
import { ExperimentsRepository } from '../experiments.repository';

/** The erasure of experiments in Postgres. Its statements skip what another process works on. */
@Injectable()
export class ExperimentErasureRepository extends ExperimentsRepository {
  /** Locks an experiment whose texts are being erased and of which no row runs any more; undefined if there is none. */
  async lockNext(tx: Transaction): Promise<Experiment | undefined> {
    return this.lockFirst(tx, NEXT, []);
  }

  /** Locks an experiment that ended before `end`, or the one with that id if it did; undefined if there is none. */
  async lockEndedBefore(tx: Transaction, end: Date, id: string | null = null): Promise<Experiment | undefined> {
    return this.lockFirst(tx, ENDED, [end, id]);
  }

  /** Removes the texts of the rows with numbers from `from` to before `to`. Returns the ids that their evals have. */
  async clearRows(tx: Transaction, id: string, from: number, to: number): Promise<string[]> {
    return (await execute<{ evalId: string }>(tx, CLEAR, [id, from, to])).map(({ evalId }) => evalId);
  }

  private async lockFirst(tx: Transaction, statement: string, values: unknown[]): Promise<Experiment | undefined> {
    const [row] = await execute<{ id: string }>(tx, statement, values);
    return row && await tx.findOneOrFail(Experiment, row.id);
  }
}

const NEXT = `
  select id from experiments where state = 'erasing' and not exists (select from experiment_rows where experiment_id = experiments.id and experiment_rows.state = 'dealt')
  order by id limit 1 for update skip locked`;

const ENDED = `select id from experiments where finished_at < $1 and ($2::text is null or id = $2) and state not in ('running', 'paused', 'erasing', 'erased') order by finished_at limit 1 for update skip locked`;

const CLEAR = `
  update experiment_rows set row_id = '', group_id = null, error = case when error is not null then jsonb_build_object('code', error -> 'code') end
  where experiment_id = $1 and row_no >= $2 and row_no < $3 returning eval_id as "evalId"`;
