import tickets from '../../../../docs/examples/support-tickets.csv?raw';
import { allowedModels, loadModels, models } from '../compare/models/model-list';
import { client } from '../session';

const NAME = 'Support tickets';
const PROMPT = 'Which team is this ticket for: billing, shipping, bug or account? Answer with one word. {input}';
/** The simulator cannot read tickets: its models answer from columns of the file. */
const SIMULATED = { 'sim-swift': 'swift', 'sim-quill': 'quill', 'sim-titan': 'titan' } as const;

/** Stores 20 support tickets and asks three models, for at most $0.01. Returns the id of the experiment. */
export async function startExample(): Promise<string> {
  await loadModels();
  const offered = models.value.map(({ id }) => id).filter((id) => allowedModels.value?.includes(id) ?? true);
  const isSimulated = Object.keys(SIMULATED).every((id) => offered.includes(id));
  const answers = Object.entries(SIMULATED).map(([id, column]) => ` [[${id}:say={${column}}]]`);
  const { dataset_id: dataset } = await client().datasets.create(new TextEncoder().encode(tickets), {
    name: NAME,
    format: 'csv',
  });
  const { experiment_id: id } = await client().experiments.create({
    dataset,
    name: NAME,
    prompt: isSimulated ? PROMPT + answers.join('') : PROMPT,
    models: isSimulated ? Object.keys(SIMULATED) : offered.slice(0, 3),
    checks: [{ type: 'equals', value: '{expected}' }],
    options: { max_tokens: 20, temperature: 0 },
    max_cost_usd: 0.01,
  });
  return id;
}
