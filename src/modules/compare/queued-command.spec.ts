import { plainToInstance } from 'class-transformer';
import { Money } from '../../common/money';
import type { CompareCommand } from '../execution/compare.types';
import { storedCommand } from '../runs/job-command';
import { CompareRequest } from './compare.dto';
import { ASYNC_SAMPLE_LIMITS } from './sample-limits';

const COMMAND: CompareCommand = {
  prompt: 'Say {input}',
  input: 'hello',
  models: ['a'],
  samples: 2,
  options: { temperature: 0.7, isTemperatureGiven: false, isMaxTokensGiven: true, maxTokens: 500 },
  maxCost: Money.of('0.5'),
  checks: [
    { name: 'cheap', type: 'cost', weight: 1, not: false, max_usd: '0.01' },
    { name: 'finished-2', type: 'finished', weight: 1, not: false },
  ],
};

describe('A job that this release queues', () => {
  test.each([false, true])(
    'is understood by a process of the release before, which reads a request (temperature given: %s)',
    (isTemperatureGiven) => {
      const command = { ...COMMAND, options: { ...COMMAND.options, isTemperatureGiven } };
      const { request } = JSON.parse(JSON.stringify(storedCommand(command))) as { request: object };
      expect(plainToInstance(CompareRequest, request).toCommand(undefined, ASYNC_SAMPLE_LIMITS)).toEqual(command);
    },
  );
});
