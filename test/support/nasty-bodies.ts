/** A body that is small enough to be read and costs a careless service much more than its size. */
export interface NastyBody {
  what: string;
  /** The text for a route that documents these members, of about `bytes` bytes. */
  make(members: readonly string[], bytes: number): string;
}

/** The same element repeated, or different ones in turn, in about `bytes` bytes. */
const filled = (bytes: number, piece: string, between = '') =>
  Array.from({ length: Math.floor(bytes / (piece.length + between.length)) }, () => piece).join(between);
const numbered = (bytes: number, piece: (i: number) => string) => {
  const pieces: string[] = [];
  for (let length = 0, i = 0; length < bytes; i += 1) length += (pieces[pieces.push(piece(i)) - 1] ?? '').length + 1;
  return pieces.join(',');
};
const nested = (bytes: number, open: string, close: string, inner = '1') => {
  const levels = Math.floor((bytes - inner.length) / (open.length + close.length));
  return `${open.repeat(levels)}${inner}${close.repeat(levels)}`;
};
/** The same value in every documented member; a quarter too small, so that names and commas fit. */
const inEach =
  (value: (bytes: number) => string): NastyBody['make'] =>
  (members, bytes) => {
    const names = members.length === 0 ? ['a'] : members;
    return `{${names.map((name) => `"${name}":${value(Math.floor((bytes * 0.98) / names.length))}`).join(',')}}`;
  };

/** Every kind of body that has stopped a service like this one, or could. */
export const NASTY_BODIES: readonly NastyBody[] = [
  { what: 'as many unknown members as fit', make: (_, bytes) => `{${numbered(bytes - 20, (i) => `"k${i}":0`)}}` },
  { what: 'members named like numbers', make: (_, bytes) => `{${numbered(bytes - 20, (i) => `"${i * 7919}":0`)}}` },
  { what: 'one name as long as the body', make: (_, bytes) => `{"${'n'.repeat(bytes - 20)}":0}` },
  {
    what: 'a hundred long names',
    make: (_, bytes) => `{${numbered(bytes * 0.98, (i) => `"${String(i).padEnd(10_000, 'n')}":0`)}}`,
  },
  {
    what: 'the same member again and again',
    make: ([name = 'a'], bytes) => `{${filled(bytes - 20, `"${name}":0`, ',')},"z":0}`,
  },
  {
    what: 'names that every object has',
    make: (_, bytes) =>
      `{${filled(bytes / 2, '"constructor":{"toString":{"valueOf":0}}', ',')},"hasOwnProperty":{${numbered(bytes / 3, (i) => `"toString${i}":0`)}}}`,
  },
  {
    what: '__proto__ at the end of a large body',
    make: (_, bytes) => `{"a":[${filled(bytes * 0.9, '{"b":{}}', ',')}],"__proto__":{"isAdmin":true}}`,
  },
  { what: 'unknown members in every member', make: inEach((bytes) => `{${numbered(bytes - 20, (i) => `"k${i}":0`)}}`) },
  { what: 'lists of one text in every member', make: inEach((bytes) => `[${filled(bytes - 20, '""', ',')}]`) },
  {
    what: 'lists of different texts in every member',
    make: inEach((bytes) => `[${numbered(bytes - 20, (i) => `"m${i}"`)}]`),
  },
  { what: 'lists of lists in every member', make: inEach((bytes) => `[${filled(bytes - 20, '[]', ',')}]`) },
  {
    what: 'lists of objects in every member',
    make: inEach((bytes) => `[${numbered(bytes - 20, (i) => `{"k${i}":{}}`)}]`),
  },
  { what: 'deep lists in every member', make: inEach((bytes) => nested(bytes - 20, '[', ']')) },
  { what: 'deep objects in every member', make: inEach((bytes) => nested(bytes - 20, '{"a":', '}')) },
  {
    what: 'deep objects with many members at each level',
    make: inEach((bytes) => nested(bytes - 20, '{"b":0,"c":[],"d":{},"a":', '}')),
  },
  { what: 'deep lists that are never closed', make: (_, bytes) => `{"a":${'['.repeat(bytes - 20)}` },
  { what: 'a list instead of an object', make: (_, bytes) => `[${filled(bytes - 20, '{}', ',')}]` },
  { what: 'numbers of as many digits as fit', make: inEach((bytes) => '9'.repeat(bytes - 20)) },
  { what: 'fractions of as many digits as fit', make: inEach((bytes) => `0.${'1'.repeat(bytes - 20)}`) },
  { what: 'lists of numbers beyond all numbers', make: inEach((bytes) => `[${filled(bytes - 20, '1e400', ',')}]`) },
  { what: 'texts of escapes', make: inEach((bytes) => `"${filled(bytes - 20, String.raw`\u0041`)}"`) },
  { what: 'texts of half characters', make: inEach((bytes) => `"${filled(bytes - 20, String.raw`\ud800`)}"`) },
  { what: 'texts of white space', make: inEach((bytes) => `"${' '.repeat(bytes - 20)}"`) },
  {
    what: 'texts that look like an e-mail address for long',
    make: inEach((bytes) => `"${filled(bytes - 20, 'a.')}@${'a'.repeat(10)}"`),
  },
  { what: 'texts of at signs', make: inEach((bytes) => `"${'@'.repeat(bytes - 20)}"`) },
  {
    what: 'texts that look like a date for long',
    make: inEach((bytes) => `"2026-01-01T00:00:00.${'0'.repeat(bytes - 60)}"`),
  },
  {
    what: 'white space around almost nothing',
    make: (_, bytes) => `${' '.repeat(bytes / 2 - 20)}{"z":0}${'\n'.repeat(bytes / 2 - 20)}`,
  },
  {
    what: 'an input that is inserted thousands of times',
    make: (_, bytes) =>
      JSON.stringify({
        prompt: '{input}'.repeat(4500),
        input: 'x'.repeat(Math.min(128_000, bytes - 32_000)),
        models: ['sim-swift', 'sim-sage', 'sim-quill', 'sim-titan'],
      }),
  },
];
