import { EventBuffer } from './event-buffer';

const delta = (model: string, text: string) => ({ type: 'delta' as const, model, text });

describe('EventBuffer', () => {
  it('joins the waiting text of each model for a slow reader, so that 100,000 pieces are two events', async () => {
    const buffer = new EventBuffer();
    for (let i = 0; i < 100_000; i += 1) buffer.push(delta(i % 2 === 0 ? 'a' : 'b', i % 2 === 0 ? 'x' : 'y'));
    expect(await buffer.drain(1000)).toEqual([delta('a', 'x'.repeat(50_000)), delta('b', 'y'.repeat(50_000))]);
  });

  it('returns events in order to a reader who keeps up, and then the end', async () => {
    const buffer = new EventBuffer();
    buffer.push({ type: 'eval-started', evalId: 'e', models: ['a'] });
    expect(await buffer.drain(1000)).toEqual([{ type: 'eval-started', evalId: 'e', models: ['a'] }]);
    buffer.push(delta('a', '1'));
    expect(await buffer.drain(1000)).toEqual([delta('a', '1')]);
    buffer.close();
    expect(await buffer.drain(1000)).toBeUndefined();
  });

  it('wakes a waiting reader, and returns nothing when the timeout ends', async () => {
    const buffer = new EventBuffer();
    expect(await buffer.drain(1)).toEqual([]);
    const waiting = buffer.drain(60_000);
    buffer.push(delta('a', '1'));
    expect(await waiting).toEqual([delta('a', '1')]);
  });

  it('ends with the error of the run, after the events that still waited', async () => {
    const buffer = new EventBuffer();
    buffer.push(delta('a', '1'));
    buffer.close({ cause: new Error('gone') });
    expect(await buffer.drain(1000)).toEqual([delta('a', '1')]);
    await expect(buffer.drain(1000)).rejects.toThrow('gone');
  });

  it('waits for the first event and peeks at it without removing it', async () => {
    const buffer = new EventBuffer();
    const first = buffer.peek();
    buffer.push(delta('a', '1'));
    expect(await first).toEqual(delta('a', '1'));
    expect(await buffer.drain(1000)).toEqual([delta('a', '1')]);
  });

  it('fails at once where a run ended before the first event, and otherwise only at its end', async () => {
    const [refused, broken] = [new EventBuffer(), new EventBuffer()];
    const first = refused.peek();
    refused.close({ cause: new Error('refused') });
    await expect(first).rejects.toThrow('refused');
    await expect(refused.peek()).rejects.toThrow('refused');
    broken.push(delta('a', '1'));
    broken.close({ cause: new Error('broken') });
    expect(await broken.peek()).toEqual(delta('a', '1'));
  });
});
