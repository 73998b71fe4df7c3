import { readCommand } from '../../runs/job-command';
import type { Experiment } from '../experiment.entity';
import type { ExperimentFiguresDto } from '../summary/summary.dto';
import type { JudgedByDto } from './judge-summary.dto';

/** The results of an experiment of judges, for the summary of the judged one. `figures` are undefined before its end. */
export function judgedBy(
  { id, name, state, spec }: Experiment,
  figures: ExperimentFiguresDto | undefined,
): JudgedByDto {
  return {
    experiment_id: id,
    name,
    kind: spec.judge?.kind ?? 'rubric',
    state,
    models: readCommand(spec.command).models,
    judged: (figures?.models ?? []).flatMap(({ model, passed, score }) => {
      if (passed !== null) return [{ model, rate: passed.rate, ci: passed.ci }];
      return score === null ? [] : [{ model, rate: score.mean, ci: score.ci }];
    }),
    headline: figures?.headline ?? null,
  };
}
