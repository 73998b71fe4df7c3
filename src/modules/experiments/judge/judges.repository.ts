import { LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { execute } from '../../../platform/database/execute';
import { SqlService } from '../../../platform/database/sql.service';
import type { Transaction } from '../../../platform/database/transaction';
import { CANCELED_EXPERIMENT, Experiment, type ExperimentWithRunning } from '../experiment.entity';
import { COLUMNS, FROM } from '../experiment-columns';
import type { JudgeSpec } from './judge-spec';

/** Experiments of judges in Postgres. */
@Injectable()
export class JudgesRepository {
  constructor(private readonly sql: SqlService) {}

  /**
   * Begins the judges that wait for an experiment, which ended in the same transaction: they share the rest of its cap,
   * and it keeps what it has spent.
   */
  async begin(tx: Transaction, id: string): Promise<void> {
    await execute(tx, BEGIN, [id]);
  }

  /** The latest experiments of judges of a user's experiment, newest first. */
  async of(userId: string, id: string): Promise<ExperimentWithRunning[]> {
    return this.sql.query(JUDGES, [userId, id]);
  }

  /** Locks the experiments of judges of an experiment until the transaction ends. */
  async lock(tx: Transaction, id: string): Promise<Experiment[]> {
    return tx.find(Experiment, { judgeOf: id }, { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } });
  }

  /** Ends the judges that wait for the answers of an experiment. */
  async cancelWaiting(tx: Transaction, id: string, at: Date): Promise<void> {
    await execute(tx, CANCEL, [id, at]);
  }

  /** The evals of the rows from `fromNo` to before `toNo` of an experiment; later attempts come last. */
  async evals({ of }: JudgeSpec, fromNo: number, toNo: number): Promise<{ rowNo: number; evalId: string }[]> {
    return this.sql.query(EVALS, [of, fromNo, toNo]);
  }
}

const JUDGES = `select ${COLUMNS} ${FROM} where user_id = $1 and judge_of = $2 order by id collate "C" desc limit 20`;

const CANCEL = `update experiments set state = '${CANCELED_EXPERIMENT}', reason = null, reason_detail = null, finished_at = $2 where judge_of = $1 and reason = 'waiting_for_answers'`;

const EVALS = `select row_no as "rowNo", eval_id as "evalId" from experiment_rows where experiment_id = $1 and row_no >= $2 and row_no < $3 and state = 'done' order by row_no, attempt`;

const BEGIN = `
  with ended as (select id, key_id, max_cost - cost as rest from experiments where id = $1),
    waiting as (select id, count(*) over () as judges from experiments where judge_of = $1 and reason = 'waiting_for_answers'),
    kept as (update experiments set max_cost = cost where id = $1 and exists (select from waiting))
  update experiments as judge set state = 'running', reason = null, reason_detail = null, key_id = ended.key_id, max_cost = trunc(ended.rest / waiting.judges, 12)
  from ended, waiting where judge.id = waiting.id`;
