import { useEffect, useMemo } from 'preact/hooks';
import type { CompareEvent, CompareRequest, CompareRun, Eval } from '../../client/client';
import { monotonicMs } from '../clock';
import { Answers } from '../compare/answers/answers';
import { LiveRun, type RunClient } from '../compare/run/live-run';
import type { RunEvent } from '../compare/run/run';
import { announce } from '../parts/notices';

/**
 * A run of the simulator, each event with the milliseconds after the beginning; record-example.mjs makes it when the
 * page is built.
 */
declare const RECORDED_RUN: { request: CompareRequest; events: readonly (RunEvent & { atMs: number })[]; stored: Eval };

const recorded = RECORDED_RUN;

/** The recorded run as a run to watch, with its own timing or at once. No request is made. */
function replayRun({ isAtOnce, onEnd }: { isAtOnce: boolean; onEnd: () => void }): LiveRun {
  const stream: RunClient['stream'] = (_, { signal }) =>
    events(isAtOnce, signal) as unknown as CompareRun<CompareEvent, Eval>;
  const unused = () => Promise.reject(new Error('A recorded run makes no request.'));
  const client: RunClient = {
    stream,
    compare: unused,
    runs: { stream: () => events(true, new AbortController().signal) },
    evals: { get: unused },
  };
  return new LiveRun(recorded.request, '', {
    client: () => client,
    wait: unused,
    nowMs: monotonicMs,
    onChange: ({ phase }) => {
      if (phase.value === 'ended') onEnd();
    },
  });
}

async function* events(isAtOnce: boolean, aborted: AbortSignal): AsyncGenerator<RunEvent> {
  const startedAt = monotonicMs();
  yield { event: 'eval-started', data: recorded.stored };
  for (const event of recorded.events) {
    const waitMs = startedAt + event.atMs - monotonicMs();
    if (!isAtOnce && waitMs > 0)
      await new Promise((resolve) => {
        setTimeout(resolve, waitMs);
      });
    aborted.throwIfAborted();
    yield event;
  }
  yield { event: 'eval', data: recorded.stored };
}

interface ExampleRunProps {
  /** True to show the end at once, without motion. */
  isAtOnce: boolean;
  /** True if somebody asked for it: then screen readers say when it begins and ends. */
  isAnnounced: boolean;
}

/** Plays the recorded run once, in the columns of a real run. */
export function ExampleRun({ isAtOnce, isAnnounced }: ExampleRunProps) {
  const say = (text: string): void => {
    if (isAnnounced) announce(text);
  };
  const run = useMemo(
    () => replayRun({ isAtOnce, onEnd: () => say('The example has ended. All its answers are there.') }),
    [],
  );
  useEffect(() => {
    say(`The example begins: ${run.request.models.join(', ')}`);
    void run.watch();
    return () => run.abandon();
  }, []);
  return <Answers source={run.source} actions={{}} asked={run.request} isShared />;
}
