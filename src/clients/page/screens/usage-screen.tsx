import { signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { shortAmount } from '../../client/amount-text';
import type { KeyInUse } from '../../client/client';
import { TryExample } from '../compare/form/example-prompts';
import { pluralize } from '../compare/limits';
import { dayName, monthName, monthsBetween } from '../dates';
import { maxAmount, shareOf } from '../money';
import { announce, MissingScope, Skeleton } from '../parts/notices';
import { FailedLoad, Nothing } from '../parts/placeholders';
import { ScreenTitle } from '../parts/screen-title';
import { Amount, MonthFigure } from '../parts/values';
import { isPaymentOff, openPaymentPage } from '../payment';
import { problemOf, useLoaded } from '../requests';
import { client, hasScope, keyInUse } from '../session';
import { BreakdownTable } from '../usage/breakdown-table';
import { costsByDay, loadMonth, type MonthFigures, percentOf } from '../usage/month-figures';
import { saveFile } from '../usage/save-file';

/** The month that was chosen; undefined for the current one. It stays while other screens are shown. */
const chosen = signal<string | undefined>(undefined);

/** The usage and the charge of a month. */
export function UsageScreen() {
  const key = keyInUse.value;
  return (
    <section class="usage">
      <ScreenTitle title="Usage" />
      {key !== undefined &&
        (hasScope('usage:read') ? (
          <Usage keyInUse={key} />
        ) : (
          <MissingScope scope="usage:read" purpose="to show what was used and charged" />
        ))}
    </section>
  );
}

function Usage({ keyInUse: { first_month: first, limits } }: { keyInUse: KeyInUse }) {
  const months = monthsBetween(first, limits.month);
  const month = chosen.value !== undefined && months.includes(chosen.value) ? chosen.value : limits.month;
  const { state, retry } = useLoaded((aborted) => loadMonth(client(), month, aborted), [month]);
  const loaded = state.value;
  return (
    <>
      <div class="usage-bar">
        <MonthChoice months={months} month={month} />
        <Statement month={month} />
      </div>
      {loaded.kind === 'loading' && <Skeleton lines={6} />}
      {loaded.kind === 'failed' && <FailedLoad error={loaded.error} onRetry={retry} />}
      {loaded.kind === 'loaded' && <Month figures={loaded.value} />}
    </>
  );
}

/** The months are newest first. */
function MonthChoice({ months, month }: { months: readonly string[]; month: string }) {
  const index = months.indexOf(month);
  const [earlier, later] = [months[index + 1], months[index - 1]];
  const choose = (next: string | undefined): void => {
    chosen.value = next;
  };
  return (
    <div class="month-choice">
      <button
        type="button"
        aria-label="Previous month"
        title="Previous month"
        disabled={earlier === undefined}
        onClick={() => choose(earlier)}
      >
        ‹
      </button>
      <select aria-label="Month" value={month} onChange={(event) => choose(event.currentTarget.value)}>
        {months.map((each) => (
          <option key={each} value={each}>
            {monthName(each)}
          </option>
        ))}
      </select>
      <button
        type="button"
        aria-label="Next month"
        title="Next month"
        disabled={later === undefined}
        onClick={() => choose(later)}
      >
        ›
      </button>
    </div>
  );
}

/** The CSV is fetched with the key and saved by the browser: a plain link would have no key. */
function Statement({ month }: { month: string }) {
  const isLoading = useSignal(false);
  const problem = useSignal('');
  const save = async (): Promise<void> => {
    isLoading.value = true;
    problem.value = '';
    problem.value = await problemOf(async () => {
      saveFile(`statement-${month}.csv`, 'text/csv;charset=utf-8', await client().usage.statementCsv({ month }));
      announce('The statement was saved');
    });
    isLoading.value = false;
  };
  return (
    <div class="statement">
      <span class="problem" role="alert">
        {problem.value}
      </span>
      <button type="button" disabled={isLoading.value} onClick={() => void save()}>
        Statement (CSV)
      </button>
    </div>
  );
}

function Month({ figures: { usage, byDay, byModel, byKey } }: { figures: MonthFigures }) {
  const days = useMemo(() => costsByDay(byDay), [byDay]);
  const { pricing, free_evals_remaining: left } = usage;
  const used = Math.max(0, pricing.free_quota - left);
  return (
    <>
      <dl class="month-figures">
        <MonthFigure name="Free evals" note={<>{left} left</>}>
          {used} of {pricing.free_quota}
        </MonthFigure>
        <MonthFigure
          name="Charged"
          note={used === 0 ? <>cost + {percentOf(pricing.margin)}</> : <>{pluralize(used, 'free eval')} not counted</>}
        >
          <Amount exact={usage.total_charge_usd} />
        </MonthFigure>
        <MonthFigure name="Evals">{usage.eval_count}</MonthFigure>
        <PaymentMethod isOnFile={usage.has_payment_method} />
      </dl>
      {byDay.items.length === 0 ? (
        <Nothing title={`Nothing was compared in ${monthName(usage.month)}`}>
          <p>
            Here you see what each day, model and key cost, and what you are charged for it. Free evals count too, at no
            charge.
          </p>
          <TryExample name="Classify" />
        </Nothing>
      ) : (
        <>
          <h2>Cost by day</h2>
          <DayChart days={days} />
          <BreakdownTable breakdown={byDay} head="Day (UTC)" caption="Cost by day" nameOf={dayName} />
          <h2>By model</h2>
          <BreakdownTable breakdown={byModel} head="Model" caption="Cost by model" isOfModels />
          <h2>By key</h2>
          <BreakdownTable breakdown={byKey} head="Key" caption="Cost by key" />
        </>
      )}
    </>
  );
}

/** The exact cost of each day of a month as bars, in shares of the highest day. */
function DayChart({ days }: { days: readonly { day: string; cost: string }[] }) {
  const most = maxAmount(days.map(({ cost }) => cost));
  return (
    <div class="day-chart" role="img" aria-label="Cost by day as bars; the table below has the same figures">
      <span class="day-most">{most === '0' ? '' : shortAmount(most)}</span>
      <span class="day-least">$0</span>
      {days.map(({ day, cost }, index) => (
        <span key={day} class="day" data-day={index + 1}>
          <span class="bar" style={{ blockSize: `${shareOf(cost, most) * 100}%` }} />
        </span>
      ))}
    </div>
  );
}

/** Shows if a payment method is on file, and the way to add one if the service accepts them. */
function PaymentMethod({ isOnFile }: { isOnFile: boolean }) {
  const isAsking = useSignal(false);
  const problem = useSignal('');
  const open = async (): Promise<void> => {
    isAsking.value = true;
    problem.value = await openPaymentPage();
    isAsking.value = false;
  };
  return (
    <div class="month-figure">
      <dt>Payment method</dt>
      <dd>
        <span class="month-figure-value">{isOnFile ? 'on file' : 'none'}</span>
        {!isOnFile && isPaymentOff.value && (
          <span class="month-figure-note">The operator of this service records payment methods.</span>
        )}
        {!isPaymentOff.value && (
          <button
            type="button"
            disabled={isAsking.value}
            aria-label={isOnFile ? 'Change the payment method' : 'Add a payment method'}
            onClick={() => void open()}
          >
            {isOnFile ? 'Change' : 'Add'}
          </button>
        )}
        <span class="problem" role="alert">
          {problem.value}
        </span>
      </dd>
    </div>
  );
}
