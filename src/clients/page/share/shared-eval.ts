import type { Eval, SharedEval } from '../../client/client';

const FIGURES: readonly string[] = ['latency_ms', 'cost_usd', 'input_tokens', 'output_tokens', 'total_tokens'];

/** The eval of a link. Where the link leaves something out, members are missing that an eval otherwise has. */
export function evalOfShare({ prompt = '', models, results, meta, redacted, checks, statistics }: SharedEval): Eval {
  const figures = redacted.includes('models') ? withoutFigures(results, meta) : { results, meta };
  return { eval_id: '', prompt, models, ...figures, checks, statistics } as Eval;
}

/** Who judges answers without names should not see first which one was quick, long or cheap. */
function withoutFigures(results: SharedEval['results'], meta: SharedEval['meta']): object {
  return {
    results: results.map((result) =>
      Object.fromEntries(Object.entries(result).filter(([name]) => !FIGURES.includes(name))),
    ),
    meta: { ...meta, fastest_model: '', cheapest_model: '' },
  };
}
