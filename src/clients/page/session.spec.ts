import type * as DraftModule from './compare/form/draft';
import type * as SessionModule from './session';

const KEY = 'mcs_bTmZs9lnsX38XJd8InWtngE4CMrfec4S2cCx';
const KEY_IN_USE = {
  name: 'demo',
  prefix: 'mcs_bTmZs9',
  email: 'demo@example.com',
  first_month: '2026-11',
  scopes: ['compare'],
  allowed_models: null,
  expires_at: null,
  limits: { month: '2026-11', free_evals: { limit: 100, remaining: 96 }, key_spend: null, user_spend: null },
};

/** The answers of the service, by path and key. */
type Answers = (path: string, key: string) => { status: number; body?: unknown };

interface Page {
  session: typeof SessionModule;
  draft: typeof DraftModule;
  /** Paths that were asked, with the key. */
  asked: string[];
}

const globals = globalThis as unknown as Record<'fetch' | 'sessionStorage' | 'localStorage', unknown>;
const before = { fetch: globals.fetch };

function storage(): Storage {
  const values = new Map<string, string>();
  return {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, text: string) => void values.set(name, text),
    removeItem: (name: string) => void values.delete(name),
    clear: () => values.clear(),
    key: () => null,
    get length() {
      return values.size;
    },
  };
}

/** Loads the page's modules again, as a browser does, with possibly filled storages. */
async function open(answers: Answers, tab: Storage = storage()): Promise<Page> {
  const asked: string[] = [];
  Object.defineProperties(globalThis, {
    location: { value: {}, configurable: true },
    sessionStorage: { value: tab, configurable: true },
    localStorage: { value: storage(), configurable: true },
  });
  globals.fetch = async (input: string, init: RequestInit) => {
    const key = new Headers(init.headers).get('authorization')?.replace('Bearer ', '') ?? '';
    asked.push(`${input} ${key}`);
    const { status, body } = answers(input, key);
    return new Response(
      JSON.stringify(
        body ?? { error: { code: 'unauthorized', message: 'This key does not exist, was revoked or has expired.' } },
      ),
      { status, headers: { 'content-type': 'application/json' } },
    );
  };
  jest.resetModules();
  return { session: await import('./session'), draft: await import('./compare/form/draft'), asked };
}

const good: Answers = (path) =>
  path === '/api/v1/key' ? { status: 200, body: KEY_IN_USE } : { status: 200, body: { models: [] } };
const refusing: Answers = () => ({ status: 401 });

afterEach(() => {
  globals.fetch = before.fetch;
});

describe('A session', () => {
  it('begins with a pasted key that the service knows, and stays in the tab', async () => {
    const { session, asked } = await open(good);
    await session.useKey(` "Bearer ${KEY}"\n`);
    expect(session.session.value).toEqual({ kind: 'signed-in', key: KEY_IN_USE });
    expect([
      asked,
      sessionStorage.getItem('mcs.key'),
      session.hasScope('compare'),
      session.hasScope('usage:read'),
    ]).toEqual([[`/api/v1/key ${KEY}`], KEY, true, false]);
  });

  it('does not begin with a key that the service refuses, and keeps nothing of it', async () => {
    const { session } = await open(refusing);
    await session.useKey(KEY);
    expect([session.session.value, sessionStorage.getItem('mcs.key')]).toEqual([
      { kind: 'signed-out', problem: expect.stringContaining('does not exist, was revoked') as string },
      null,
    ]);
  });

  it("says of the operator's key what it opens, and of another form what a key looks like", async () => {
    const admin = (path: string, key: string) => ({
      status: path.startsWith('/api/v1/admin/users') && key === 'mcs_admin_0123' ? 200 : 401,
      body: { users: [] },
    });
    const { session, asked } = await open(admin);
    await session.useKey('mcs_admin_0123');
    expect(session.session.value).toMatchObject({
      kind: 'signed-out',
      problem: expect.stringContaining('works only for /api/v1/admin') as string,
    });
    await session.useKey('another-secret');
    expect(session.session.value).toMatchObject({
      kind: 'signed-out',
      problem: expect.stringContaining('begin with “mcs_”') as string,
    });
    expect([asked.some((each) => each.startsWith('/api/v1/key')), sessionStorage.getItem('mcs.key')]).toEqual([
      false,
      null,
    ]);
  });

  it('does not end with a late answer about a key that was entered before the one in use', async () => {
    const { session } = await open(good);
    const [answer, late] = [globals.fetch as typeof fetch, Promise.withResolvers<void>()];
    globals.fetch = async (path: string, init: RequestInit) => {
      if (path.startsWith('/api/v1/admin')) await late.promise;
      return answer(path, init);
    };
    const wrong = session.useKey('mcs_admin_0123');
    await session.useKey(KEY);
    late.resolve();
    await wrong;
    expect([session.session.value.kind, sessionStorage.getItem('mcs.key')]).toEqual(['signed-in', KEY]);
  });

  it('sends nothing when nothing that can be a key was pasted', async () => {
    const { session, asked } = await open(good);
    await session.useKey('  ');
    expect([session.session.value.kind, asked]).toEqual(['signed-out', []]);
  });

  it('is taken up again after a reload, and the key is not lost when the service cannot be reached', async () => {
    const tab = storage();
    tab.setItem('mcs.key', KEY);
    const away = await open(() => {
      throw new TypeError('Failed to fetch');
    }, tab);
    await away.session.resumeSession();
    expect(away.session.session.value).toMatchObject({
      kind: 'signed-out',
      mayResume: true,
      problem: expect.stringContaining('No connection') as string,
    });
    const back = await open(good, tab);
    const resuming = back.session.resumeSession();
    expect(back.session.session.value.kind).toBe('resuming');
    await resuming;
    expect(back.session.session.value.kind).toBe('signed-in');
  });

  it('ends with the first answer 401 to any call, and the form keeps its content', async () => {
    let isRevoked = false;
    const { session, draft } = await open((path, key) => (isRevoked ? { status: 401 } : good(path, key)));
    await session.useKey(KEY);
    draft.setDraft({ prompt: 'Say it.' });
    isRevoked = true;
    await expect(session.client().models()).rejects.toMatchObject({ status: 401 });
    expect([session.session.value.kind, sessionStorage.getItem('mcs.key'), draft.draft.value.prompt]).toEqual([
      'signed-out',
      null,
      'Say it.',
    ]);
  });

  it('keeps its screen when the key is refused, asks the service nothing more, and goes on with another key of the same user', async () => {
    const OTHER = `${KEY.slice(0, -1)}D`;
    let isRevoked = false;
    const { session, asked } = await open((path, key) =>
      isRevoked && key === KEY ? { status: 401 } : good(path, key),
    );
    await session.useKey(KEY);
    isRevoked = true;
    await expect(session.client().models()).rejects.toMatchObject({ status: 401 });
    const before = asked.length;
    await expect(session.client().models()).rejects.toMatchObject({
      name: 'AuthenticationError',
      code: 'unauthorized',
    });
    expect([session.session.value.kind, session.keyInUse.value, asked.length]).toEqual([
      'signed-out',
      KEY_IN_USE,
      before,
    ]);
    const seen: unknown[] = [];
    const stop = session.keyInUse.subscribe((key) => seen.push(key));
    await session.useKey('nonsense');
    await session.useKey(KEY);
    await session.useKey(OTHER);
    stop();
    expect([session.session.value.kind, seen.includes(undefined), await session.client().models()]).toEqual([
      'signed-in',
      false,
      [],
    ]);
  });

  it('leaves nothing of the screen to another user', async () => {
    const OTHER = `${KEY.slice(0, -1)}D`;
    let isRevoked = false;
    const { session } = await open((path, key) =>
      key === KEY
        ? isRevoked
          ? { status: 401 }
          : good(path, key)
        : { status: 200, body: { ...KEY_IN_USE, email: 'other@example.com' } },
    );
    await session.useKey(KEY);
    isRevoked = true;
    await expect(session.client().models()).rejects.toMatchObject({ status: 401 });
    const seen: unknown[] = [];
    const stop = session.keyInUse.subscribe((key) => seen.push(key?.email));
    await session.useKey(OTHER);
    stop();
    expect(seen).toEqual(['demo@example.com', undefined, 'other@example.com']);
  });

  it('learns of a scope that was taken from the key', async () => {
    let scopes = ['compare', 'models:read'];
    const { session } = await open((path) =>
      path === '/api/v1/key'
        ? { status: 200, body: { ...KEY_IN_USE, scopes } }
        : { status: 403, body: { error: { code: 'insufficient_scope', message: 'This key lacks the scope.' } } },
    );
    await session.useKey(KEY);
    scopes = ['compare'];
    const learned = new Promise<void>((resolve) => {
      session.keyInUse.subscribe((key) => {
        if (key?.scopes.length === 1) resolve();
      });
    });
    await expect(session.client().models()).rejects.toMatchObject({ status: 403 });
    await learned;
    expect(session.hasScope('models:read')).toBe(false);
  });

  it('leaves nothing in either storage when the key is forgotten', async () => {
    const { session, draft } = await open(good);
    await session.useKey(KEY);
    draft.setDraft({ prompt: 'Say it.' });
    localStorage.setItem('mcs.prefs', '{"theme":"dark"}');
    session.forgetKey();
    draft.storeDraft();
    expect([session.session.value.kind, draft.draft.value.prompt, sessionStorage.length, localStorage.length]).toEqual([
      'signed-out',
      '',
      0,
      0,
    ]);
    expect(() => session.client()).toThrow();
  });
});

describe('The key of a link', () => {
  const OTHER = 'mcs_cTmZs9lnsX38XJd8InWtngE4CMrfec4S2cCy';

  it('signs in, and the page says as whom', async () => {
    const { session, asked } = await open(good);
    expect(await session.signInByLink(KEY)).toContain('demo@example.com');
    expect([session.session.value.kind, asked]).toEqual(['signed-in', [`/api/v1/key ${KEY}`]]);
  });

  it.each(['', ' ', 'mcs_short', `mcs_${'a'.repeat(400)}`, '<b>mcs_</b>', 'test-operator-key-0123456789'])(
    'is not sent when it is %j',
    async (text) => {
      const { session, asked } = await open(good);
      expect(await session.signInByLink(text)).toBeUndefined();
      expect(session.session.value).toMatchObject({
        kind: 'signed-out',
        problem: expect.stringContaining('not complete'),
      });
      expect(asked).toEqual([]);
    },
  );

  it('leads to the field for the key when the service refuses it', async () => {
    const { session } = await open(refusing);
    expect(await session.signInByLink(KEY)).toBeUndefined();
    expect(session.session.value).toMatchObject({
      kind: 'signed-out',
      problem: expect.stringContaining('does not exist'),
    });
  });

  it('does not replace the key of this tab unless that is refused', async () => {
    const tab = storage();
    tab.setItem('mcs.key', OTHER);
    const { session, asked } = await open(good, tab);
    expect(await session.signInByLink(KEY)).toContain('not used');
    expect(await session.signInByLink(OTHER)).toBeUndefined();
    expect(asked).toEqual([`/api/v1/key ${OTHER}`]);
    expect(tab.getItem('mcs.key')).toBe(OTHER);
    const later = await open((path, key) => (key === OTHER ? { status: 401 } : good(path, key)), tab);
    expect(await later.session.signInByLink(KEY)).toContain('demo@example.com');
    expect(tab.getItem('mcs.key')).toBe(KEY);
  });
});
