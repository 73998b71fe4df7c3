import { EvalsService } from './evals.service';

describe('EvalsService', () => {
  it('does not start before a module has registered how experiments are found', () => {
    const find = () => Promise.resolve({ state: 'finished', spec: {} });
    const service = new EvalsService({} as never, {} as never, {} as never);
    expect(() => service.onApplicationBootstrap()).toThrow(
      'No module has registered how experiments are found, so their evals cannot be listed.',
    );
    service.experiments.register(find);
    expect(() => service.onApplicationBootstrap()).not.toThrow();
    expect(() => service.experiments.register(find)).toThrow('This was registered already.');
  });
});
