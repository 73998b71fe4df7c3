import { effect, type ReadonlySignal, signal, untracked } from '@preact/signals';
import type { CompareError, CompareRequest, RunResult } from '../../../client/client';
import { newIdempotencyKey } from '../../../client/compare-call';
import { delay } from '../../../client/retries';
import { monotonicMs, now } from '../../clock';
import { linkNotice } from '../../key-link';
import { announce } from '../../parts/notices';
import { prefs } from '../../prefs';
import { client, keyInUse, refreshKey, session } from '../../session';
import { factsOf, samplesOf } from '../evaluated';
import { contentOf, fieldOfParam, requestOf } from '../form/form-content';
import { changeForm, formContent, isFormFolded, markFields } from '../form/form-state';
import { refusalText } from '../form/refusal';
import { pluralize } from '../limits';
import { LiveRun, type Surroundings } from './live-run';
import { type PendingRun, readPendingRun, storePendingRun } from './pending-run';
import { endSentence, type RunEvent } from './run';

/**
 * A run whose first event was never seen is sent again after a reload only while it is young: later it would be a new
 * one.
 */
const MAX_AGE_TO_SEND_AGAIN_MS = 600_000;
const SAY_TOGETHER_MS = 100;

const run = signal<LiveRun | undefined>(undefined);

/** The latest run of this tab. */
export const currentRun: ReadonlySignal<LiveRun | undefined> = run;

const surroundings: Surroundings = { client, wait: delay, nowMs: monotonicMs, onChange: follow, onEvent: sayEnd };

// A run belongs to the user it was started by, and is looked for with another key of the same one; what a reload has to
// know stays in the tab.
effect(() => {
  const { kind } = session.value;
  const held = run.peek();
  if (kind === 'signed-in' && held?.lacksKey === true) untracked(() => void held.find());
  if (kind !== 'signed-out' || keyInUse.value !== undefined) return;
  held?.abandon();
  run.value = undefined;
});

/** Sends the form; false if fields have to be corrected first. */
export function startRun(): boolean {
  const made = requestOf(formContent.value);
  if ('problems' in made) {
    markFields(made.problems);
    return false;
  }
  send(made.body);
  return true;
}

/** Puts the request of the latest run into the form, and sends it as a new run. */
export function runAgain(): void {
  const request = run.peek()?.request;
  if (request === undefined) return;
  changeForm(contentOf(request));
  send(request);
}

/**
 * Takes up the run that a reload has interrupted, or shows the eval that was on the screen; undefined where there is
 * none.
 */
export function resumeRun(): LiveRun | undefined {
  const pending = readPendingRun();
  if (run.peek() !== undefined || pending === undefined) return undefined;
  const { request, idempotencyKey, evalId, sentAt } = pending;
  const sentMsAgo = now().getTime() - sentAt;
  if (evalId === undefined && Math.abs(sentMsAgo) > MAX_AGE_TO_SEND_AGAIN_MS) {
    storePendingRun(undefined);
    return undefined;
  }
  const resumed = (run.value = new LiveRun(request, idempotencyKey, surroundings, {
    evalId,
    sentMsAgo: Math.max(0, sentMsAgo),
  }));
  void takeUp(resumed, pending);
  return resumed;
}

async function takeUp(resumed: LiveRun, { evalId, isStored }: PendingRun): Promise<void> {
  if (evalId === undefined) return await resumed.watch();
  await resumed.find({ atOnce: isStored });
  // An eval that was erased meanwhile is nothing to speak of.
  if (isStored && resumed.phase.value === 'gone' && run.peek() === resumed) run.value = undefined;
}

function send(request: CompareRequest): void {
  run.peek()?.abandon();
  linkNotice.value = undefined;
  const started = (run.value = new LiveRun(request, newIdempotencyKey(), surroundings));
  const samples = samplesOf(request.options);
  say(`Running ${pluralize(request.models.length, 'model')}${samples > 1 ? `, ${samples} times each` : ''}`);
  void started.watch();
}

/** Keeps for a reload what it has to know, and says what has ended. */
function follow(changed: LiveRun): void {
  if (run.peek() !== changed) return;
  const { idempotencyKey, request, evalId, stored, phase, startedAt } = changed;
  const isKept = changed.isOpen || changed.lacksKey || phase.value === 'ended';
  storePendingRun(
    isKept
      ? {
          idempotencyKey,
          request,
          evalId: evalId.value,
          isStored: stored.value !== undefined,
          sentAt: now().getTime() - (monotonicMs() - startedAt),
        }
      : undefined,
  );
  if (!changed.isOpen) end(changed);
}

function end({ phase, failure, refusal }: LiveRun): void {
  void refreshKey();
  if (phase.value === 'ended') say('All finished');
  if (phase.value === 'failed') say(failure.value?.message ?? 'The run failed');
  if (phase.value === 'gone' && refusal.value === undefined) say('No result was found');
  if (phase.value === 'refused' && refusal.value !== undefined) markRefused(refusal.value);
}

function markRefused(error: CompareError): void {
  // Run is in the form; where there is room for one part only, the reason stays in view.
  isFormFolded.value = false;
  const field = fieldOfParam(error.param);
  if (field !== undefined) markFields([{ field, message: refusalText(error).lines[0] ?? error.message }]);
}

/** Of many answers only failures are worth a word before the end. */
function sayEnd({ event, data }: RunEvent): void {
  if (event !== 'result') return;
  const { sample, error } = factsOf(data);
  // Which model ended, and how fast, would name an answer that is judged without its name.
  if ((sample === undefined || error !== undefined) && !prefs.peek().blind) say(endSentence(data as RunResult));
}

const unsaid: string[] = [];

/** Simultaneous events are announced together, since a new announcement interrupts the previous one. */
function say(sentence: string): void {
  if (unsaid.push(sentence) === 1) setTimeout(() => announce(unsaid.splice(0).join('. ')), SAY_TOGETHER_MS);
}
