import { EvalsService } from './evals.service';

describe('EvalsService', () => {
  it('does not start before a module has registered how experiments are found', () => {
    const service = new EvalsService({} as never, {} as never, {} as never);
    expect(() => service.onApplicationBootstrap()).toThrow(
      'No module has registered how experiments are found, so their evals cannot be listed.',
    );
    service.experiments.register(() => Promise.resolve());
    expect(() => service.onApplicationBootstrap()).not.toThrow();
    expect(() => service.experiments.register(() => Promise.resolve())).toThrow('This was registered already.');
  });
});
