import { readFragment, writeFragment } from './fragment';

const KNOWN = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'meta/llama "<3"'];
const read = (fragment: string) => readFragment(fragment, KNOWN);

describe('readFragment', () => {
  it.each(['', '#', '#answers', '#key=mcs_secret', '#xprompt=1'])('finds nothing for the form in %p', (fragment) =>
    expect(read(fragment)).toBeUndefined(),
  );

  it('reads models, prompt and input', () => {
    expect(read('#models=b,a&prompt=Say%20%7Binput%7D%20%26%20more&input=1%2B1+%3D')).toEqual({
      models: ['b', 'a'],
      prompt: 'Say {input} & more',
      input: '1+1 =',
      problems: [],
    });
  });

  it('takes empty text, repeated lists, blanks and models named twice', () => {
    expect(read('#models=a,,a&models=+b+&prompt=')).toEqual({ models: ['a', 'b'], prompt: '', problems: [] });
  });

  it('keeps the known models and names the others, shortened', () => {
    const { models, problems } = read(`#models=a,x,y,z,${'w'.repeat(5000)},v`) ?? { problems: [] };
    expect(models).toEqual(['a']);
    expect(problems).toEqual(['The link names models that are not on the list: x, y, z and 2 more.']);
    expect(read(`#models=${'w'.repeat(5000)}`)?.problems[0]?.length).toBeLessThan(130);
    expect(read('#models=nobody')).not.toHaveProperty('models');
  });

  it('chooses the first eight of more models', () => {
    const fill = read('#models=a,b,c,d,e,f,g,h,i');
    expect(fill?.models).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    expect(fill?.problems).toEqual(['At most 8 models are compared at once. Not chosen: i.']);
  });

  it.each([
    ['prompt', 32_000],
    ['input', 128_000],
  ] as const)('takes a %s of %i characters and none that is longer', (name, max) => {
    expect(read(`#${name}=${'é'.repeat(max)}&models=a`)).toEqual({
      [name]: 'é'.repeat(max),
      models: ['a'],
      problems: [],
    });
    const fill = read(`#${name}=${'x'.repeat(max + 1)}&models=a`);
    expect(fill).toEqual({
      models: ['a'],
      problems: [
        expect.stringContaining(`The ${name} in the link has ${(max + 1).toLocaleString('en-US')} characters`),
      ],
    });
  });

  it('reads the options, and none that is not offered', () => {
    const options = {
      system: 'Be brief.',
      effort: 'low',
      room: '2000',
      format: '{"type":"object"}',
      exact: 'required',
      temperature: '0',
      maxTokens: '50',
    };
    expect(read(`#models=a&${new URLSearchParams(options).toString()}`)).toEqual({
      models: ['a'],
      ...options,
      problems: [],
    });
    expect(read(`#models=a&effort=much&exact=yes&maxCostUsd=9&checks=x&room=${'9'.repeat(21)}`)).toEqual({
      models: ['a'],
      problems: [expect.stringContaining('The room in the link has 21 characters')],
    });
  });

  it('takes 100 earlier turns in their order, and none of more', () => {
    const turns = (count: number) => `#assistant=b%26${'&user=a'.repeat(count - 1)}`;
    const { history = [], problems } = read(turns(100)) ?? { problems: [] };
    expect([history.length, history.slice(0, 2), problems]).toEqual([
      100,
      [
        { role: 'assistant', content: 'b&' },
        { role: 'user', content: 'a' },
      ],
      [],
    ]);
    expect(read(turns(101))).toEqual({ problems: [expect.stringContaining('101 earlier turns; the limit is 100')] });
  });

  it('uses nothing of an endless fragment', () => {
    expect(read(`#models=a&input=${'%20'.repeat(700_000)}`)).toEqual({
      problems: [expect.stringContaining('more data than the form accepts')],
    });
  });

  it('takes hostile content as text', () => {
    const text = '<img src=x onerror=alert(1)>\u202E[x](javascript:alert(1))\u200b';
    expect(read(`#prompt=${encodeURIComponent(text)}&__proto__=1&constructor=2`)).toEqual({
      prompt: text,
      problems: [],
    });
    expect(read('#prompt=%E0%A4%A&input=%')).toEqual({ prompt: '\uFFFD%A', input: '%', problems: [] });
    expect(read('#prompt=a%00b')).toEqual({ prompt: 'ab', problems: [expect.stringContaining('null characters')] });
  });
});

describe('writeFragment', () => {
  it.each([
    { prompt: 'a & b = c #d %20 +', input: 'x\n{input}\u202E', models: ['a', 'meta/llama "<3"'] },
    { prompt: '', input: '', models: ['a'] },
    {
      prompt: 'x',
      input: '',
      models: ['a'],
      history: [
        { role: 'assistant' as const, content: 'a=1&user=b' },
        { role: 'user' as const, content: '{input}' },
        { role: 'user' as const, content: '\n' },
      ],
      system: 'Be\nbrief. & +',
      effort: 'none',
      room: '0',
      format: 'json',
      exact: 'required',
      temperature: '0',
      maxTokens: '1',
    },
  ])('writes what readFragment reads: %j', (content) => {
    const { problems, ...fill } = read(writeFragment(content)) ?? { problems: ['none'] };
    expect(problems).toEqual([]);
    expect({ prompt: '', input: '', ...fill }).toEqual(content);
  });

  it('writes nothing for an empty form', () => expect(writeFragment({ prompt: '', input: '', models: [] })).toBe(''));
});
