import { evalPath, experimentPath, parseRoute, votePath } from './routes';

describe('The address of a screen', () => {
  it.each([
    ['/', 'compare'],
    ['/history', 'history'],
    ['/evals', 'history'],
    ['/evals/', 'history'],
    ['/usage', 'usage'],
    ['/experiments', 'experiments'],
    ['/experiments/', 'experiments'],
    ['/experiments/new', 'new-experiment'],
  ])('%s is %s', (path, name) => {
    expect(parseRoute(path)).toEqual({ name });
  });

  it.each(['eval_01m80hnr7cra628arq2msyxb94', 'a b', 'ü/?#%', '__proto__'])('leads to the eval %j', (id) => {
    expect(parseRoute(evalPath(id))).toEqual({ name: 'eval', id });
  });

  it('leads to an experiment', () =>
    expect(parseRoute(experimentPath('exp_1/2'))).toEqual({ name: 'experiment', id: 'exp_1/2' }));

  it('leads to the votes on an experiment, with a key and through a link', () => {
    expect(parseRoute(votePath('exp_1/2'))).toEqual({ name: 'vote', id: 'exp_1/2' });
    expect(parseRoute('/shared/mcs_share_abc/vote')).toEqual({ name: 'shared-vote', id: 'mcs_share_abc' });
  });

  it('leads to what is shared, by its token', () =>
    expect(parseRoute('/shared/mcs_share_abc')).toEqual({ name: 'shared', id: 'mcs_share_abc' }));

  it('may hold an id that cannot be decoded', () => {
    expect(parseRoute('/evals/%E0%A4%A')).toEqual({ name: 'eval', id: '%E0%A4%A' });
  });

  it.each([
    '/nothing',
    '/evals/a/b',
    '/shared',
    '/shared/',
    '/shared/a/b',
    '/evals/a/vote',
    '/experiments//vote',
    '/experiments/a/vote/',
    '/history/',
    '/docs',
    '/constructor',
    '',
    '/api/v1/models',
  ])('%j is none', (path) => {
    expect(parseRoute(path)).toBeUndefined();
  });
});
