import { emptyStore, readObject, readText, writeText, type Store } from './storage';

/** A storage as the browser has it. */
function memory(content: Record<string, string> = {}): Store {
  const values = new Map(Object.entries(content));
  return {
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, text) => void values.set(name, text),
    removeItem: (name) => void values.delete(name),
    clear: () => values.clear(),
  };
}

const refused = (): never => {
  throw new DOMException('The operation is insecure.', 'SecurityError');
};
const full: Store = {
  ...memory(),
  setItem: () => {
    throw new DOMException('Full.', 'QuotaExceededError');
  },
};

describe('Storage', () => {
  it('returns stored values, and removes undefined ones', () => {
    const store = memory();
    writeText(() => store, 'a', 'text');
    expect(readText(() => store, 'a')).toBe('text');
    writeText(() => store, 'a', undefined);
    expect(readText(() => store, 'a')).toBeUndefined();
  });

  it('that is blocked or full is as on the first visit, and stops nothing', () => {
    expect([readText(refused, 'a'), readObject(refused, 'a')]).toEqual([undefined, undefined]);
    expect(() => {
      writeText(refused, 'a', 'b');
      emptyStore(refused);
      writeText(() => full, 'a', 'b');
    }).not.toThrow();
  });

  it.each(['', 'nonsense', '{', '[]', '"text"', '7', 'null', 'true', '[{"theme":"dark"}]'])(
    'that holds %j holds no object',
    (text) => {
      expect(readObject(() => memory({ a: text }), 'a')).toBeUndefined();
    },
  );

  it('that holds an object gives it', () => {
    expect(readObject(() => memory({ a: '{"theme":"dark"}' }), 'a')).toEqual({ theme: 'dark' });
  });
});
