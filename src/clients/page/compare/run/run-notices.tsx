import { useSignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { monotonicMs } from '../../clock';
import { Banner } from '../../parts/notices';
import { isPaymentOff, openPaymentPage } from '../../payment';
import { evalPath } from '../../routes';
import { goneText, LACKS_KEY, refusalText } from '../form/refusal';
import type { LiveRun } from './live-run';

/** Whole seconds until a moment of the clock that never goes back, counting down to 0. */
export function useCountdown(until: number | undefined): number {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (secondsUntil(until) === 0) return undefined;
    const timer = setInterval(() => {
      setTick((tick) => tick + 1);
      if (secondsUntil(until) === 0) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [until]);
  return secondsUntil(until);
}

function secondsUntil(moment: number | undefined): number {
  return moment === undefined ? 0 : Math.max(0, Math.ceil((moment - monotonicMs()) / 1000));
}

/** Notices about a whole run: it was refused, failed, or lost its connection. */
export function RunNotices({ run, waitSeconds }: { run: LiveRun; waitSeconds: number }) {
  switch (run.phase.value) {
    case 'refused':
      return <Refused run={run} waitSeconds={waitSeconds} />;
    case 'failed':
      return <Banner kind="failure">{failureText(run)}</Banner>;
    case 'finding':
      return (
        <Banner kind="warning">
          {run.isCut && 'Connection lost. '}Looking for the result; it appears here once the run has ended and is stored
          …
        </Banner>
      );
    case 'stopped':
      return <Stopped run={run} />;
    case 'gone':
      return <Banner kind="failure">{run.lacksKey ? LACKS_KEY : goneText(run.refusal.value)}</Banner>;
    default:
      return null;
  }
}

function Stopped({ run }: { run: LiveRun }) {
  const evalId = run.evalId.value;
  if (evalId === undefined)
    return (
      <Banner kind="note">
        You stopped watching before the run had an id. If it started, it continues, will be charged, and will appear in
        the <a href="/history">history</a>.
      </Banner>
    );
  return (
    <Banner kind="note">
      You stopped watching. The run continues and will be charged: <a href={evalPath(evalId)}>open the eval</a> or{' '}
      <button type="button" onClick={() => void run.find()}>
        wait for it here
      </button>
    </Banner>
  );
}

function failureText({ lacksKey, failure }: LiveRun): string {
  const { code, message } = failure.value ?? { code: 'unknown', message: 'The run failed.' };
  if (lacksKey) return LACKS_KEY;
  return code === 'all_models_failed' ? 'Every model failed. Nothing was stored or charged.' : message;
}

function Refused({ run, waitSeconds }: { run: LiveRun; waitSeconds: number }) {
  const error = run.refusal.value;
  if (error === undefined) return null;
  const { kind, lines, wantsPayment } = refusalText(error);
  return (
    <Banner kind={kind}>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {wantsPayment && <PaymentButton />}
      {error.retryAfter !== undefined && (
        <p>
          {waitSeconds > 0 ? (
            <>
              You can run again in <strong>{waitSeconds} s</strong>.
            </>
          ) : (
            'You can run it again now.'
          )}
        </p>
      )}
    </Banner>
  );
}

/** Leads to the page of the payment provider, where the service has one. */
function PaymentButton() {
  const problem = useSignal('');
  const open = async (): Promise<void> => {
    problem.value = await openPaymentPage();
  };
  if (isPaymentOff.value) return <p>The operator of this service records payment methods; ask them.</p>;
  return problem.value === '' ? (
    <button type="button" onClick={() => void open()}>
      Add a payment method
    </button>
  ) : (
    <p>{problem.value}</p>
  );
}
