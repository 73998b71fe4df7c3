import { TelemetryLog } from './telemetry-log';

function logAt() {
  const lines: object[] = [];
  const now = { ms: 5 };
  return {
    lines,
    now,
    log: new TelemetryLog(
      { warn: (facts, message) => lines.push({ ...facts, message }) },
      { monotonicMs: () => now.ms },
    ),
  };
}

const MESSAGE = 'traces are incomplete; requests are served as usual';

describe('TelemetryLog', () => {
  it('warns once a minute, however much goes wrong, and counts what it has left out', () => {
    const { log, lines, now } = logAt();
    for (let n = 0; n < 50; n += 1) {
      log.error('away');
      log.warn('full');
    }
    now.ms += 59_999;
    log.error('away');
    expect(lines).toEqual([{ reason: 'away', suppressed: 0, message: MESSAGE }]);
    now.ms += 1;
    log.error('back?');
    now.ms += 60_000;
    log.warn('again');
    expect(lines.slice(1)).toEqual([
      { reason: 'back?', suppressed: 100, message: MESSAGE },
      { reason: 'again', suppressed: 0, message: MESSAGE },
    ]);
  });

  it('says the sentence of an error and its code, without its stack and what the collector has answered', () => {
    const { log, lines } = logAt();
    log.error(
      JSON.stringify({ message: 'Internal Server Error', code: '500', stack: 'at file.js', data: 'what was sent' }),
    );
    expect(lines).toEqual([expect.objectContaining({ reason: 'Internal Server Error, 500' })]);
  });

  it.each(['x\n'.repeat(1000), JSON.stringify({ message: 'x '.repeat(1000) })])(
    'keeps a reason short and on one line',
    (message) => {
      const { log, lines } = logAt();
      log.warn(message);
      expect(lines).toEqual([expect.objectContaining({ reason: expect.stringMatching(/^[x ]{300}$/) })]);
    },
  );

  it('leaves out what is no complaint', () => {
    const { log, lines } = logAt();
    log.info();
    log.debug();
    log.verbose();
    expect(lines).toEqual([]);
  });
});
