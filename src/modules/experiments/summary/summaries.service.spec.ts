import { Logger } from '@nestjs/common';
import { ApiError } from '../../../common/errors';
import { experimentNotFound } from '../experiments.service';
import { SummariesService } from './summaries.service';

describe('The summary of an experiment that is to be kept', () => {
  it.each([
    [experimentNotFound(), 0],
    [new ApiError('overloaded'), 1],
  ])('is only missed where there is an experiment: %s', async (error, warnings) => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const experiments = {
      get: async () => {
        throw error;
      },
    };
    const parts = [{}, {}, {}, experiments, {}] as unknown as ConstructorParameters<typeof SummariesService>;
    await new SummariesService(...parts).keepFinal('user', 'exp_x');
    expect(warn).toHaveBeenCalledTimes(warnings);
    warn.mockRestore();
  });
});
