// Records the run that the page plays before any key: the simulator's own answers, prices and checks, on a clock that
// jumps instead of waiting.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const MODELS = ['sim-swift', 'sim-quill', 'sim-sage'];
const EXAMPLE = 'Summarize';
const MAX_TOKENS = 500;
const load = createRequire(join(import.meta.dirname, '../../../dist/src/main.js'));

/** The recording; the service must be built. */
export async function recordExample() {
  const { EXAMPLE_PROMPTS, filledExample } = load('./common/example-prompts');
  const { toChecks } = load('./modules/checks/read-checks');
  const { checkOf } = load(join(import.meta.dirname, 'compare/form/check-drafts.ts'));
  const { prompt, input, checks: drafts } = EXAMPLE_PROMPTS.find(({ name }) => name === EXAMPLE);
  const checks = toChecks(drafts.map((draft) => checkOf(draft).body));
  const recorded = await Promise.all(MODELS.map((model) => call(model, filledExample({ prompt, input }), checks)));
  const results = recorded.map(({ result }) => result);
  const least = (member) => results.toSorted((left, right) => left[member] - right[member])[0].model;
  return {
    request: { prompt, input, models: MODELS, checks },
    events: recorded.flatMap(({ events }) => events).sort((left, right) => left.atMs - right.atMs),
    stored: {
      eval_id: 'eval_example',
      prompt,
      models: MODELS,
      results,
      checks: { definitions: checks },
      meta: {
        total_cost_usd: load('./common/money')
          .Money.sum(results.map(({ cost_usd: cost }) => load('./common/money').Money.of(cost)))
          .toString(),
        fastest_model: least('latency_ms'),
        cheapest_model: least('cost_usd'),
      },
    },
  };
}

async function call(model, prompt, checks) {
  const { SimulatorProvider } = load('./modules/providers/simulator.provider');
  const { decideInline } = load('./modules/checks/inline-checks');
  const { verdictOf } = load('./modules/checks/verdict');
  const { Money } = load('./common/money');
  let now = 0;
  const simulator = new SimulatorProvider(
    { monotonicMs: () => now },
    () => 0,
    async (ms) => {
      now += ms;
    },
  );
  const events = [];
  const onText = (text) => events.push({ atMs: Math.round(now), event: 'delta', data: { model, text } });
  const { text, usage, finishReason } = await simulator.complete(
    { model, prompt, maxTokens: MAX_TOKENS, temperature: undefined, isStreamed: true },
    new AbortController().signal,
    onText,
  );
  const { cost } = load('./modules/billing/pricing').costOf(
    usage,
    load('./modules/models/catalog').priceAt(catalogEntry(model), new Date()),
  );
  const [latencyMs, firstMs] = [Math.round(now), events[0].atMs];
  const result = {
    model,
    provider: 'simulator',
    output: text,
    latency_ms: latencyMs,
    cost_usd: cost.toString(),
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    details: {
      finish_reason: finishReason,
      ttft_ms: firstMs,
      tokens_per_second: Math.round((usage.outputTokens * 100_000) / latencyMs) / 100,
      attempts: 1,
      tokens: { reasoning: usage.reasoningTokens },
    },
    checks: checks.map((check) =>
      verdictOf(
        check,
        decideInline(check, {
          text,
          finishReason,
          latencyMs,
          firstTokenMs: firstMs,
          cost: Money.of(cost.toString()),
          tokens: usage.outputTokens,
        }),
      ),
    ),
  };
  return { result, events: [...events, { atMs: latencyMs, event: 'result', data: result }] };
}

function catalogEntry(model) {
  return load('./modules/models/catalog')
    .readCatalog(load('./modules/models/catalog.json'))
    .find(({ id }) => id === model);
}
