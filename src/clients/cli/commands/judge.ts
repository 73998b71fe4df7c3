import type { JudgeRequest } from '../../client/client';
import { refusalOf } from '../confirmation';
import type { CommonOptions, Context } from '../context';
import { EXIT, UsageError } from '../exit-codes';
import { partsOf } from '../lists';
import { numberOf } from '../request';
import { oneLine } from '../text';
import { ESTIMATE_ONCE, follow, judgeOfExperiment, sayEstimate } from './experiment-run';

/** Options of `mcs judge`. */
export interface JudgeCommandOptions extends CommonOptions {
  model?: string[];
  criterion?: string;
  pairwise?: boolean;
  rubric?: boolean;
  baseline?: string;
  scale?: string;
  rows?: string;
  maxCost?: string;
  name?: string;
  yes?: boolean;
}

/** mcs judge: says the price, asks, lets models judge the answers of an experiment, and prints the summary. */
export async function judgeCommand(context: Context, of: string, options: JudgeCommandOptions): Promise<number> {
  const { mcs, terminal } = context;
  const { maxCostUsd, ...judge } = requestOf(options);
  const asked = { judge: { of, ...judge }, max_cost_usd: maxCostUsd };
  sayEstimate(terminal, await mcs.experiments.estimate(asked, ESTIMATE_ONCE));
  const refused = await refusalOf(context, options.yes, {
    unasked: 'Judges cost money.',
    question: `Start it with a cap of $${maxCostUsd}?`,
    declined: 'Nothing was started.',
  });
  if (refused !== undefined) return refused;
  const named = { ...judge, maxCostUsd, ...(options.name !== undefined && { name: options.name }) };
  const { experiment_id: id, models } = await mcs.experiments.judge(of, named);
  terminal.note(`Experiment ${oneLine(id)}`);
  return await follow(context, id, await judgeOfExperiment(context, options, models), options);
}

/** mcs vote: prints the address of the page on which people vote. */
export function voteCommand({ terminal, settings }: Context, id: string): Promise<number> {
  terminal.print(`${settings.url}/experiments/${encodeURIComponent(id)}/vote`);
  terminal.note(
    `Only people with a key of this user can vote there. A link for other voters: mcs share ${oneLine(id)} --votes`,
  );
  return Promise.resolve(EXIT.done);
}

/** @throws UsageError */
function requestOf({ model = [], criterion, maxCost, ...options }: JudgeCommandOptions): JudgeRequest {
  if (criterion === undefined) throw new UsageError('Say with --criterion what a good answer is.');
  if (maxCost === undefined)
    throw new UsageError('Set a cap with --max-cost: the judges never cost more USD than that.');
  const models = [...new Set(model.flatMap(partsOf))];
  if (models.length === 0) throw new UsageError('Choose 1 to 3 judges with --model; mcs models lists them.');
  return {
    kind: kindOf(options),
    models,
    criterion,
    ...limitsOf(options),
    maxCostUsd: numberOf('--max-cost', maxCost),
  };
}

/** @throws UsageError */
function kindOf({ pairwise, rubric }: JudgeCommandOptions): JudgeRequest['kind'] {
  if (pairwise === true && rubric === true) throw new UsageError('Choose --rubric or --pairwise.');
  return pairwise === true ? 'pairwise' : 'rubric';
}

/** @throws UsageError */
function limitsOf({ baseline, scale, rows }: JudgeCommandOptions): Pick<JudgeRequest, 'baseline' | 'scale' | 'rows'> {
  if (scale !== undefined && scale !== '5') throw new UsageError('--scale must be 5: a mark from 1 to 5.');
  return {
    ...(scale !== undefined && { scale: 5 }),
    ...(baseline !== undefined && { baseline }),
    ...(rows !== undefined && { rows: numberOf('--rows', rows) }),
  };
}
