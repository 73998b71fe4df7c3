import { createCaller } from '../../support/factories';
import { malformedRequests, type Malformed } from '../../support/malformed';
import { rawRequest } from '../../support/raw';
import { worker } from '../../support/worker';

describe('A malformed request', () => {
  const all = malformedRequests('KEY');

  it.each(all.map(({ what, status, code }) => [what, status, code]))(
    'is answered, with %s, by %i %s in the one error format',
    async (what) => {
      const { key } = await createCaller();
      const request = malformedRequests(key ?? '').find((one) => one.what === what) as Malformed;
      const answer = await rawRequest(worker().serviceUrl, request.bytes);
      expect(answer).toMatchObject({
        status: request.status,
        headers: { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' },
      });
      const { error } = JSON.parse(answer?.body ?? '');
      expect(error).toMatchObject({
        code: request.code,
        message: request.message ?? expect.any(String),
        request_id: answer?.headers['x-request-id'],
      });
    },
  );

  it.each(['toString', 'hasOwnProperty', 'constructor', 'toCommand'])(
    'is rejected for a body member %s as for any other unknown member',
    async (name) => {
      const caller = await createCaller();
      for (const body of [
        { prompt: 'x', models: ['sim-swift'], [name]: 1 },
        ...(name === 'toCommand' ? [] : [{ prompt: 'x', models: ['sim-swift'], options: { [name]: 1 } }]),
      ]) {
        const { status, body: answer } = await caller.compare(body);
        expect([status, answer.error.param]).toEqual([400, 'options' in body ? `options.${name}` : name]);
      }
    },
  );
});
