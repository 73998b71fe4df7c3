import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Experiment } from '../../client/client';
import { loadModels, modelOf, models as callableModels } from '../compare/models/model-list';
import { Dialog } from '../parts/dialog';
import { problemOf } from '../requests';
import { navigate } from '../router';
import { experimentPath } from '../routes';
import { client } from '../session';
import { Choice, Text } from './decision-dialogs';
import { ExperimentEstimateLine, useEstimate } from './experiment-estimate';
import { judgeOf } from './judge-words';
import { useIdempotencyKey } from './use-pages';

/** Asks a model to judge the answers of an ended experiment: the price that is shown is the cap. */
export function JudgeDialog({ experiment, onClose }: { experiment: Experiment; onClose: () => void }) {
  const { experiment_id: of, models } = experiment;
  const [kind, criterion] = [useSignal('rubric'), useSignal('')];
  const [model, problem] = [useSignal(''), useSignal('')];
  const text = { value: criterion, maxLength: 4000, placeholder: 'It says the same as {expected}.' };
  const keyOf = useIdempotencyKey();
  useEffect(() => void loadModels(), []);
  const judge = judgeOf(kind.value, criterion.value, model.value);
  const price = useEstimate(judge && { judge: { of, ...judge } });
  const most = price.isLoading || price.error ? undefined : price.estimate?.most_cost_usd;
  const start = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (judge === undefined || most === undefined) return;
    problem.value = await problemOf(async () => {
      // The price is the cap: rounded up, and at least a cent.
      const body = { ...judge, maxCostUsd: Math.max(1, Math.ceil(100 * Number(most))) / 100 };
      const { experiment_id: id } = await client().experiments.judge(of, body, { idempotencyKey: keyOf(body) });
      onClose();
      navigate(experimentPath(id));
    });
  };
  return (
    <Dialog title="Ask a judge" onClose={onClose}>
      <form class="experiment-cap" onSubmit={(event) => void start(event)}>
        <Choice id="judge-kind" label="It sees" value={kind}>
          <option value="rubric">each answer alone</option>
          {models.length > 1 && <option value="pairwise">two answers at a time, in both orders</option>}
        </Choice>
        <Text id="judge-criterion" label="Criterion" {...text} />
        <Choice id="judge-model" label="Judge" value={model}>
          <option value="">choose a model</option>
          {callableModels.value.map(({ id }) => models.map(modelOf).includes(id) || <option key={id}>{id}</option>)}
        </Choice>
        <div>
          <ExperimentEstimateLine price={price} needed="a criterion and a judge" />
        </div>
        <p class="problem" role="alert">
          {problem.value}
        </p>
        <div class="dialog-foot">
          <button type="submit" class="button-primary" disabled={most === undefined}>
            Start
          </button>
        </div>
      </form>
    </Dialog>
  );
}
