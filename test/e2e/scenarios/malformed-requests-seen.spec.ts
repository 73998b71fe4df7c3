import { once } from 'node:events';
import { connect } from 'node:net';
import { Api } from '../../support/api';
import { createCaller, eventually } from '../../support/factories';
import { malformedRequests } from '../../support/malformed';
import { rawRequest, requestText } from '../../support/raw';
import { startService, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

const start = (variables: Record<string, string> = {}) =>
  startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', LOG_LEVEL: 'info', ...variables });

/** The lines of requests that ended with an error. */
function errorLines(service: ServiceProcess): Record<string, unknown>[] {
  return service
    .output()
    .split('\n')
    .filter((line) => line.includes('"msg":"request"') && line.includes('"code"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** How many there are of each. */
function tally(codes: readonly unknown[]): Record<string, number> {
  return codes.reduce<Record<string, number>>(
    (counts, code) => ({ ...counts, [String(code)]: (counts[String(code)] ?? 0) + 1 }),
    {},
  );
}

/** The samples of a metric by the one label that is looked at, those of 0 left out. */
async function counted(url: string, metric: string, label: string): Promise<Record<string, number>> {
  const { text } = await new Api(undefined, url).get('/metrics');
  const samples = [...text.matchAll(new RegExp(`^${metric}\\{(?:.*,)?${label}="(\\w+)".*\\} (\\d+)$`, 'gm'))];
  return samples.reduce<Record<string, number>>(
    (sums, [, value = '', count]) => (count === '0' ? sums : { ...sums, [value]: (sums[value] ?? 0) + Number(count) }),
    {},
  );
}

describe('A malformed request', () => {
  it('of every kind leaves one line in the log, under the id of its answer, and is counted by its code', async () => {
    const service = await start();
    const { key = '' } = await createCaller({ at: service.url });
    const all = malformedRequests(key);
    const answers: { what: string; reqId: string | undefined; status: number; code: string }[] = [];
    for (const { what, bytes, status, code } of all) {
      const answer = await rawRequest(service.url, bytes);
      answers.push({ what, reqId: answer?.headers['x-request-id'], status, code });
    }
    await eventually('all are logged', () => errorLines(service).length >= all.length);
    const lines = errorLines(service);
    expect(lines.filter(({ reqId }) => !answers.some((answer) => answer.reqId === reqId))).toEqual([]);
    for (const { what, reqId, status, code } of answers)
      expect([what, lines.filter((line) => line['reqId'] === reqId)]).toEqual([
        what,
        [expect.objectContaining({ level: 'info', status, code })],
      ]);
    expect(await counted(service.url, 'mcs_errors_total', 'code')).toEqual(tally(answers.map(({ code }) => code)));
    const {
      200: scraped,
      201: created,
      ...measured
    } = await counted(service.url, 'http_server_request_duration_seconds_count', 'http_response_status_code');
    expect([scraped, created]).toEqual([expect.any(Number), expect.any(Number)]);
    // How long it took is known of each that was read as a request.
    expect(measured).toEqual(tally(lines.filter(({ ms }) => ms !== undefined).map(({ status }) => status)));
    expect(measured).toMatchObject({ 404: answers.filter(({ code }) => code === 'not_found').length, 417: 1 });
    await service.stop();
  });

  it('has in its line what is known of it, without its query', async () => {
    const service = await start();
    const secret = 'NOT-TO-BE-LOGGED';
    const refused = { level: 'info', time: expect.any(String), reqId: expect.stringMatching(/^req_/), msg: 'request' };
    const bytes = [
      requestText('GET', `/api/v1/evals/%zz?token=${secret}`),
      requestText('CONNECT', `example.com:443?${secret}`),
      `${secret}\r\n\r\n`,
    ];
    for (const [index, one] of bytes.entries()) {
      await rawRequest(service.url, one);
      await eventually('the line is written', () => errorLines(service).length > index);
    }
    expect(errorLines(service)).toEqual([
      { ...refused, method: 'GET', path: '/api/v1/evals/%zz', status: 404, ms: expect.any(Number), code: 'not_found' },
      { ...refused, method: 'CONNECT', path: 'example.com:443', status: 405, code: 'method_not_allowed' },
      { ...refused, status: 400, code: 'invalid_request' },
    ]);
    expect(service.output()).not.toContain(secret);
    await service.stop();
  });

  it('that is aborted logs nothing, because no client reads an answer', async () => {
    const service = await start();
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    await new Promise<void>((resolve) => socket.write('GET / HTTP/1.1\r\nHost:', () => resolve()));
    socket.resetAndDestroy();
    await rawRequest(service.url, 'JUNK\r\n\r\n');
    await eventually('the junk is logged', () => errorLines(service).length > 0);
    expect(await counted(service.url, 'mcs_errors_total', 'code')).toEqual({ invalid_request: 1 });
    await service.stop();
    expect(errorLines(service)).toHaveLength(1);
  });
});
