import { frame, HEARTBEAT } from './sse';

describe('a server-sent event', () => {
  test('is its id, its name and one line of JSON, and ends with an empty line', () => {
    expect(frame(7, 'delta', { text: 'one\ntwo' })).toBe('id: 7\nevent: delta\ndata: {"text":"one\\ntwo"}\n\n');
  });

  test('that only keeps the connection alive is a comment, which readers skip', () => {
    expect(HEARTBEAT).toMatch(/^: [^\n]+\n\n$/);
  });
});
