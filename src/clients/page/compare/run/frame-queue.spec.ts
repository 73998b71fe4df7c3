import { FrameQueue } from './frame-queue';

function queueWithFrames() {
  const taken: number[][] = [];
  const frames: (() => void)[] = [];
  const schedule = (callback: () => void) => {
    frames.push(callback);
    return () => {
      frames.splice(frames.indexOf(callback), 1);
    };
  };
  return { taken, frames, queue: new FrameQueue<number>((items) => taken.push([...items]), schedule) };
}

describe('FrameQueue', () => {
  it('hands on together what came before a frame', () => {
    const { taken, frames, queue } = queueWithFrames();
    queue.push(1);
    queue.push(2);
    expect([taken, frames.length]).toEqual([[], 1]);
    frames[0]?.();
    queue.push(3);
    frames[0]?.();
    expect(taken).toEqual([[1, 2], [3]]);
  });

  it('hands on the rest at once, and nothing twice', () => {
    const { taken, frames, queue } = queueWithFrames();
    queue.push(1);
    queue.flush();
    queue.flush();
    expect([taken, frames.length]).toEqual([[[1]], 0]);
  });
});
