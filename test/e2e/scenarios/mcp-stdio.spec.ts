import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { join } from 'node:path';
import { builtPackage, startMcs } from '../../support/client-package';
import { createCaller } from '../../support/factories';
import { mcs } from '../../support/mcs';
import { assistant, ERAS, send, textIn, toolCall } from '../../support/mcp';
import { PROGRAM_VARIABLES, startService } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';
import { worker } from '../../support/worker';

const ORDER = { prompt: 'Hello', models: ['sim-swift'] };
const settings = () => ({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on' });
/** Lines of standard input. */
const lines = (...messages: (object | string)[]) =>
  messages.map((each) => `${typeof each === 'string' ? each : JSON.stringify(each)}\n`).join('');
const answersIn = (out: string): { id: unknown; result?: object; error?: { code: number; message: string } }[] =>
  out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { id: unknown }]));

describe.each(ERAS)('mcs mcp, for an assistant that speaks %s,', (version, mode) => {
  it('hands on the tools of the service with the key of its user', async () => {
    const caller = await createCaller();
    const home = temporaryFolder();
    const blank = { MCS_API_KEY: '', MCS_URL: '', XDG_CONFIG_HOME: home };
    await mcs(caller, ['login', '--url', caller.url], { environment: blank, input: `${caller.key}\n` });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(await builtPackage(), 'cli.js'), 'mcp'],
      env: { ...PROGRAM_VARIABLES, HOME: home, XDG_CONFIG_HOME: home },
    });
    const agent = await assistant(caller, mode, transport);
    expect(agent.client.getNegotiatedProtocolVersion()).toBe(version);
    expect((await agent.client.listTools()).tools).toHaveLength(9);
    const said = 'A line\u2028of “text”';
    const answers = await Promise.all(
      [1, 2, 3].map(() => agent.call('compare', { ...ORDER, prompt: `[[sim:say=${said}]]` })),
    );
    const { evals } = (await caller.get('/api/v1/evals')).body;
    expect(answers.map(({ json }) => json.eval_id).sort()).toEqual(evals.map((each: ToolJson) => each.eval_id).sort());
    expect(answers[0]?.json.results[0].output).toBe(said);
    expect((await agent.call('compare', { prompt: 'Hello' })).text).toContain('(invalid_request)');
    await agent.client.close();
  });
});

interface ToolJson {
  eval_id: string;
}

describe('mcs mcp', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  it('answers each line once and ends with its input', async () => {
    const caller = await createCaller();
    const input = lines('no JSON', list, { jsonrpc: '2.0', method: 'notifications/initialized' }, [list]);
    const { code, out, errors } = await mcs(caller, ['mcp'], { input });
    const answers = answersIn(out);
    expect([code, errors, answers.length]).toEqual([0, '', 3]);
    expect(answers.map(({ error }) => error?.code).sort()).toEqual([-32_600, -32_700, undefined]);
    expect(answers.find(({ id }) => id === 1)?.result).toHaveProperty('tools');
  });

  it('sends the same ids of two processes as two calls', async () => {
    const caller = await createCaller();
    for (const id of [1, 1]) await mcs(caller, ['mcp'], { input: lines(toolCall('compare', ORDER, id)) });
    expect((await caller.get('/api/v1/evals')).body.evals).toHaveLength(2);
  });

  it('says in the protocol that the key is refused, or that nothing answers, and notices on standard error', async () => {
    const caller = await createCaller();
    const wrong = { MCS_API_KEY: `mcs_${'x'.repeat(36)}` };
    const refused = await mcs(caller, ['mcp'], { input: lines(list), environment: wrong });
    expect(answersIn(refused.out)).toMatchObject([{ id: 1, error: { code: -32_000 } }]);
    const notice = lines({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const { ended } = await startMcs(['mcp'], {
      environment: { MCS_URL: 'http://127.0.0.1:9', MCS_API_KEY: caller.key ?? '' },
      input: lines(list) + notice,
    });
    const { out, errors } = await ended;
    expect(answersIn(out)).toMatchObject([{ id: 1, error: { message: expect.stringContaining('No connection') } }]);
    expect(errors).toMatch(/^mcs: .*No connection/);
  });
});

describe('A service', () => {
  it('with MCP=off has no such address', async () => {
    const service = await startService({ ...settings(), MCP: 'off' });
    const { status, body } = await send(await createCaller({ at: service.url }), toolCall('list_models', {}));
    expect([status, body.error.code]).toEqual([404, 'not_found']);
    await service.stop();
  });

  it('with a ceiling of 0 asks before each cost, and keeps its limits', async () => {
    const service = await startService({
      ...settings(),
      MCP_MAX_COST_USD: '0',
      RATE_LIMIT_COMPARE_PER_MINUTE: '5',
      BILLING_ENFORCEMENT: 'require_payment_method',
    });
    const caller = await createCaller({ at: service.url, freeQuota: 1 });
    const compare = async (more: object, id: number) =>
      textIn(await send(caller, toolCall('compare', { ...ORDER, ...more }, id)));
    expect(await compare({}, 1)).toMatch(/^Nothing ran: this can cost 0\.0\d+ USD, and the ceiling is 0 USD\./);
    expect(await compare({ max_cost_usd: 1 }, 2)).toContain('<answer ');
    expect(await compare({ max_cost_usd: 1 }, 3)).toContain('(payment_required)');
    expect(await compare({ max_cost_usd: 1 }, 4)).toContain('(payment_required)');
    expect(await compare({ max_cost_usd: 1 }, 5)).toContain('(payment_required)');
    expect(await compare({ max_cost_usd: 1 }, 6)).toMatch(/\(rate_limited\) Try again after \d+ seconds\./);
    await service.stop();
  });
});
