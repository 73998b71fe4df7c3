import type { ApiError } from '../../common/errors';
import { preferenceApplied, preferencesOf } from './prefer';

const read = (prefer: string | string[] | undefined) => preferencesOf({ prefer });

function problemOf(prefer: string): string {
  try {
    return `none, but ${JSON.stringify(read(prefer))}`;
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_request', param: 'Prefer' });
    return (error as ApiError).message;
  }
}

describe('Prefer', () => {
  test.each([
    [undefined, false, 0],
    ['respond-async', true, 0],
    ['Respond-Async', true, 0],
    ['respond-async, wait=20', true, 20],
    ['wait=20, respond-async', true, 20],
    ['respond-async,wait=0', true, 0],
    ['respond-async, wait=31', true, 30],
    ['respond-async, wait=999999999', true, 30],
    ['respond-async=""', true, 0],
    ['wait="7", respond-async', true, 7],
    ['respond-async ; foo = "a, b; c" ;; bar', true, 0],
    ['respond-async;wait=5', true, 0],
    [', respond-async ,, wait = 3 ,', true, 3],
    // Only the first of a name counts.
    ['respond-async, wait=4, wait=9', true, 4],
    // Unknown preferences are ignored, and so is `wait` for a synchronous answer.
    ['return=minimal, handling=lenient', false, 0],
    ['wait=20', false, 0],
    ['x="\\"respond-async"', false, 0],
  ])('%j asks for an answer at once: %j, after at most %d s', (prefer, isAsync, waitSeconds) => {
    expect(read(prefer)).toEqual({ isAsync, waitSeconds });
  });

  test('may come in several headers', () => {
    expect(read(['respond-async', 'wait=2'])).toEqual({ isAsync: true, waitSeconds: 2 });
  });

  test.each([
    ['', 'Prefer is malformed: it names no preference.'],
    [' , ', 'Prefer is malformed: it names no preference.'],
    ['=1', 'Prefer is malformed: a name is expected at character 1.'],
    ['respond-async wait=20', 'Prefer is malformed: a comma is expected at character 15.'],
    ['respond-async, wait=', 'Prefer is malformed: wait must be a whole number of seconds, such as wait=20.'],
    ['respond-async, x="open', 'Prefer is malformed: a comma is expected at character 18.'],
    ['respond-async=true', 'Prefer is malformed: respond-async takes no value.'],
    ['respond-async, wait=soon', 'Prefer is malformed: wait must be a whole number of seconds, such as wait=20.'],
    ['respond-async, wait=1.5', 'Prefer is malformed: wait must be a whole number of seconds, such as wait=20.'],
    ['respond-async, wait=-1', 'Prefer is malformed: wait must be a whole number of seconds, such as wait=20.'],
    ['respond-async, wait', 'Prefer is malformed: wait must be a whole number of seconds, such as wait=20.'],
    ['wait=soon', 'Prefer is malformed: wait must be a whole number of seconds, such as wait=20.'],
  ])('%j is refused', (prefer, message) => {
    expect(problemOf(prefer)).toBe(message);
  });

  test.each([
    [0, 'respond-async'],
    [20, 'respond-async, wait=20'],
  ])('is answered, after a wait of %d s, with %j', (waitSeconds, applied) => {
    expect(preferenceApplied({ isAsync: true, waitSeconds })).toBe(applied);
  });
});
