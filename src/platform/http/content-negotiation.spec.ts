import { prefers } from './content-negotiation';

const asks = (accept: string | undefined, type = 'text/event-stream') => prefers({ headers: { accept } }, type);

describe('prefers', () => {
  it.each([
    ['text/event-stream'],
    ['Text/Event-Stream'],
    ['text/event-stream; charset=utf-8'],
    ['text/event-stream;q=0.1'],
    ['text/*'],
    [' , text/event-stream , '],
    // The larger weight wins, at any position.
    ['application/json;q=0.9, text/event-stream'],
    ['text/event-stream;q=0.5, application/json;q=0.4'],
    ['*/*;q=0.1, text/event-stream;q=0.2'],
    ['application/json;q=0, */*'],
    ['application/json; Q=0.5, text/event-stream'],
    // With the same weight, what is named first.
    ['text/event-stream, application/json'],
    ['text/event-stream, */*'],
    ['text/*, application/json'],
    ['text/event-stream;q=0.5, application/json;q=0.5'],
    // The most specific range counts for a type, at any position.
    ['application/*;q=0.1, */*;q=0.9, text/event-stream;q=0.5'],
    // An invalid weight counts as none.
    ['text/event-stream;q=high, application/json;q=0.9'],
    ['text/event-stream;q=2, application/json'],
  ])('is true for %s', (accept) => {
    expect(asks(accept)).toBe(true);
  });

  it.each([
    [undefined],
    [''],
    [','],
    [';;;'],
    ['image/png'],
    ['application/json'],
    ['text/html, application/xml;q=0.9'],
    ['text'],
    ['event-stream/text'],
    ['x-text/event-stream'],
    ['text/event-stream-2'],
    // JSON on a tie: the same range lets both in.
    ['*/*'],
    ['*/*;q=0.8'],
    ['text/html, */*;q=0.8'],
    ['application/json, text/event-stream'],
    ['application/json;q=0.5, text/event-stream;q=0.5'],
    ['*/*, text/event-stream'],
    ['application/*, text/event-stream'],
    ['text/event-stream;q=0.4, application/json;q=0.5'],
    ['text/event-stream;q=0.9, application/json'],
    ['text/event-stream;q=0.5, */*'],
    // A weight of zero means: not this.
    ['text/event-stream;q=0'],
    ['text/event-stream;q=0.000, */*'],
    ['text/*;q=0'],
    ['text/event-stream;q=0, application/json;q=0.1'],
    ['text/event-stream;q=0, text/*, application/json;q=0.1'],
    ['*/*;q=0'],
    ['application/json;q=0'],
  ])('is false for %s', (accept) => {
    expect(asks(accept)).toBe(false);
  });

  it('reads the header in the same way for any media type', () => {
    expect([
      asks('text/csv', 'text/csv'),
      asks('application/json, text/csv', 'text/csv'),
      asks('text/csv;q=0', 'text/csv'),
      asks('text/event-stream', 'text/csv'),
    ]).toEqual([true, false, false, false]);
  });
});
