import { useEffect, useMemo } from 'preact/hooks';
import { Answers } from '../compare/answers';
import { announce } from '../parts/status-line';
import { replayRun } from './recording';

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
