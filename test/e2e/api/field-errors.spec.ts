import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api, operator, type Answer, type Json } from '../../support/api';
import { resolved } from '../../support/api-document';
import { createCaller, type Caller } from '../../support/factories';
import { fieldCases, type FieldCase } from '../../support/field-cases';

const FILE = join(__dirname, 'field-errors.md');
const HEAD =
  'Answers of the service to every member of every request that is absent, null, of a wrong type, empty, too small, too large or of wrong content.\n\n' +
  'The members come from the API document; `field-errors.spec.ts` sends each row and compares the answers with this file, which it rewrites when `WRITE_FIELD_ERRORS` is set.\n';
const MAX_ANSWER_BYTES = 20_000;
const COMPARE = { prompt: 'Hello', models: ['sim-swift'] };

/** Beside it, the rest of a body is not looked at before its own members are right. */
const JUDGE = {
  of: 'exp_01k9z3t5v7x9b1d3f5h7k9m1n3',
  kind: 'rubric',
  models: ['sim-swift'],
  criterion: 'It is right.',
};

/** The rest of a body, which is right, by operation. */
const RIGHT: Record<string, () => Json> = {
  'POST /api/v1/compare': () => COMPARE,
  'POST /api/v1/compare/estimate': () => COMPARE,
  'POST /api/v1/experiments': () => ({
    dataset: 'ds_01k9z3t5v7x9b1d3f5h7k9m1n3',
    prompt: 'Hello',
    models: ['sim-swift'],
    max_cost_usd: 1,
  }),
  'POST /api/v1/experiments/estimate': () => ({
    dataset: 'ds_01k9z3t5v7x9b1d3f5h7k9m1n3',
    prompt: 'Hello',
    models: ['sim-swift'],
  }),
  'POST /api/v1/checks': () => ({ checks: [{ type: 'finished' }], output: 'Hello' }),
  'PUT /api/v1/evals/{id}/preference': () => ({ preferred: 'tie' }),
  'POST /api/v1/shares': () => ({ subject: 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3' }),
  'POST /api/v1/admin/users': () => ({ email: `${randomUUID()}@example.com` }),
  'POST /api/v1/admin/users/{id}/keys': () => ({ name: 'ci' }),
  'POST /api/v1/admin/users/{id}/adjustments': () => ({ amount_usd: 1, reason: 'goodwill' }),
  'POST /api/v1/admin/meter-events/{id}/resend': () => ({ not_received: true }),
};

describe('Every member of every request', () => {
  it('has an error message that helps', async () => {
    const cases = fieldCases(resolved((await new Api(undefined).get('/docs-json')).body));
    const sections: string[] = [];
    for (const [operation, rows] of Map.groupBy(cases, ({ operation: of }) => of)) {
      const caller = await createCaller({ freeQuota: 1000 });
      const lines: string[] = [];
      for (const row of rows) lines.push(lineOf(row, await sent(row, caller)));
      sections.push(
        `## ${operation}\n\n| member | sent | answer | param | message |\n| --- | --- | --- | --- | --- |\n${lines.join('\n')}\n`,
      );
    }
    const text = [HEAD, ...sections].join('\n');
    if (process.env['WRITE_FIELD_ERRORS'] !== undefined) writeFileSync(FILE, text);
    expect(text).toBe(readFileSync(FILE, 'utf8'));
  });
});

async function sent(row: FieldCase, caller: Caller): Promise<Answer<Json>> {
  const { operation, headers = {}, body } = row;
  const [method = ''] = operation.split(' ');
  // Rotation ends a key, so each needs its own.
  const owner = operation.includes('rotate') ? await createCaller() : caller;
  const api = operation.includes('/admin/') ? operator() : caller;
  const right = { ...RIGHT[operation]?.(), ...(row.member.startsWith('judge.') && { judge: JUDGE }) };
  return api.call(method, addressOf(row, owner), body?.(right), { headers });
}

function addressOf({ operation, id, query = '' }: FieldCase, { userId, keyId }: Caller): string {
  const [, path = ''] = operation.split(' ');
  return path.replace('{id}', id ?? (path.includes('/keys/{id}') ? keyId : userId)) + query;
}

function lineOf({ member, sent: what }: FieldCase, { status, text, body }: Answer<Json>): string {
  const cells = [member, what, ...(status < 400 ? ['taken', '', ''] : refusal(body.error, text))];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', '\\n')).join(' | ')} |`;
}

function refusal({ code, param, message }: Json, text: string): string[] {
  expect(message).toMatch(/^\S.*[^.]\.$/);
  // One sentence.
  expect(message).not.toMatch(/[.!?] +[A-Z]/);
  expect(Buffer.byteLength(text)).toBeLessThan(MAX_ANSWER_BYTES);
  if (code === 'invalid_request' && param !== undefined)
    expect(message.startsWith(param.replace(/\[\d+\]$/, ''))).toBe(true);
  return [code, param ?? '', message];
}
