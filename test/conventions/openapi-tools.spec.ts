import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { endAfterTests } from '../support/cleanup';
import {
  callerWithOneEval,
  DOCUMENT_FILE,
  documentedOperations,
  execute,
  operationOf,
  type Execution,
} from '../support/documented-operations';
import { createCaller, type Caller } from '../support/factories';
import { worker } from '../support/worker';

const TOOLS = join(__dirname, '../openapi-tools');
const describeWithTools = existsSync(join(TOOLS, 'node_modules/@stoplight')) ? describe : describe.skip;

/** A Prism proxy in front of the service of this worker. Gives its address. */
async function startPrism(): Promise<string> {
  const child = spawn(process.execPath, [join(TOOLS, 'prism.cjs'), DOCUMENT_FILE, worker().serviceUrl], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  endAfterTests(() => child.kill());
  const [address] = (await once(createInterface(child.stdout), 'line')) as [string];
  return address;
}

describeWithTools('The API document (needs test/openapi-tools)', () => {
  it('leaves the recommended rules of Spectral nothing to find', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(TOOLS, 'spectral.cjs'), DOCUMENT_FILE]);
    expect(JSON.parse(stdout)).toEqual([]);
  });

  describe('is kept by the service, says a Prism proxy', () => {
    let prism: string;
    beforeAll(async () => {
      prism = await startPrism();
    });

    it.each(
      documentedOperations
        .filter(({ id }) => !['billing_addPaymentMethod', 'runs_cancel'].includes(id))
        .map((one) => [one.id, one] as const),
    )('for %s', async (_, operation) => {
      const { caller, evalId } = await callerWithOneEval();
      const { status, text } = await execute(operation, caller.at(prism), evalId);
      expect([status < 300, status < 300 ? '' : text]).toEqual([true, '']);
    });

    it.each<[string, string, Execution, string]>([
      ['the statement as CSV', 'usage_statement', { accept: 'text/csv' }, 'time,eval_id,'],
      ['a compare as a stream', 'compare_run', { accept: 'text/event-stream' }, 'event: eval\n'],
      ['a compare with details', 'compare_run', { query: '?include=details' }, 'ttft_ms'],
      [
        'a list of evals with details',
        'evals_list',
        { query: '?include=details&q=hello&model=sim-swift' },
        'failed_models',
      ],
    ])('for %s', async (_, id, execution, content) => {
      const { caller, evalId } = await callerWithOneEval();
      const { status, text } = await execute(operationOf(id), caller.at(prism), evalId, execution);
      expect([status, text]).toEqual([200, expect.stringContaining(content)]);
    });

    it('which answers in its own words where it is not', async () => {
      const caller: Caller = (await createCaller()).at(prism);
      const { status, text } = await caller.compare({ models: ['sim-swift'] });
      expect([status, text]).toEqual([422, expect.stringContaining('#UNPROCESSABLE_ENTITY')]);
    });
  });
});
