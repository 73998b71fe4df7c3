import { EvalsService } from './evals.service';

describe('EvalsService', () => {
  it('does not start before a module registered its experiments', () => {
    const service = new EvalsService({} as never, {} as never, {} as never, {} as never);
    expect(() => service.onApplicationBootstrap()).toThrow(
      'No module registered its experiments (registerExperiments), so their evals cannot be listed.',
    );
    service.registerExperiments(() => Promise.resolve());
    expect(() => service.onApplicationBootstrap()).not.toThrow();
  });
});
