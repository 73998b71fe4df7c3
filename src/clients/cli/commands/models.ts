import type { CommonOptions, Context } from '../context';
import { EXIT } from '../exit-codes';

/** mcs models: the models that can be called now, with their prices. */
export async function modelsCommand(
  { mcs, terminal }: Context,
  { search = '', json }: CommonOptions & { search?: string },
): Promise<number> {
  const wanted = search.toLowerCase();
  const models = (await mcs.models({ details: json !== true })).filter(({ id, name, provider }) =>
    [id, name, provider].some((text) => text.toLowerCase().includes(wanted)),
  );
  terminal.printList(
    json,
    { models },
    {
      head: ['model', 'name', 'provider', '$/1M in', '$/1M out', 'efforts'],
      lines: models.map(({ id, name, provider, input_per_1m: input, output_per_1m: output, details }) => [
        id,
        details?.stage === 'preview' ? `${name} (preview)` : name,
        provider,
        input,
        output,
        details?.reasoning?.efforts.join(' ') ?? '',
      ]),
      right: [3, 4],
      flexible: 1,
      optional: [2, 5],
    },
  );
  return EXIT.done;
}
