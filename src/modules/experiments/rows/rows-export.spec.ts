import { Money } from '../../../common/money';
import { rowView } from './row-view';
import { rowsAsCsv } from './rows-export';

test('A row without an answer names the error of each model', async () => {
  const fault = (model: string) => ({ model, error: { code: 'timeout', message: 'late' } });
  const error = {
    code: 'all_models_failed',
    message: 'See the details.',
    details: { models: [fault('a'), fault('b')] },
  };
  const row = rowView(
    {
      rowNo: 0,
      rowId: 'r',
      group: null,
      cost: Money.zero,
      attempts: [{ attempt: 1, state: 'failed', evalId: 'e', error }],
    },
    undefined,
    [],
    { models: ['a', 'b'], samples: 1 },
  );
  const lines: string[] = [];
  for await (const line of rowsAsCsv(
    (async function* () {
      yield row;
    })(),
  ))
    lines.push(line);
  expect(lines[1]).toMatch(/,a: timeout: late; b: timeout: late,\r\n$/);
});
