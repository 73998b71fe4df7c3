import { deltaFrames, frame, HEARTBEAT } from './sse';

describe('A server-sent event', () => {
  test('consists of its id, its name and one line of JSON, and ends with an empty line', () => {
    expect(frame(7, 'delta', { text: 'one\ntwo' })).toBe('id: 7\nevent: delta\ndata: {"text":"one\\ntwo"}\n\n');
  });

  test.each([
    ['a', 'one\ntwo'],
    ['local/"q"\n', '"\u2028\u{1F600}\uD83D'],
    ['', ''],
  ])('with the text of model %j has the bytes of any other event', (model, text) => {
    expect(deltaFrames(model)(7, text)).toBe(frame(7, 'delta', { model, text }));
  });

  test('with the text of a sample names the sample', () => {
    expect(deltaFrames('a', 0)(7, 'b')).toBe(frame(7, 'delta', { model: 'a', sample: 0, text: 'b' }));
  });

  test('is a comment, which readers skip, when it only keeps the connection alive', () => {
    expect(HEARTBEAT).toMatch(/^: [^\n]+\n\n$/);
  });
});
