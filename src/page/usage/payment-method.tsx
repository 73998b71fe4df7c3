import { signal, useSignal } from '@preact/signals';
import { CompareError } from '../../client/client';
import { client } from '../session';

/** True if the service has said that it does not accept payment methods itself. */
const isSwitchedOff = signal(false);

/** Shows if a payment method is on file, and the way to add one if the service accepts them. */
export function PaymentMethod({ isOnFile }: { isOnFile: boolean }) {
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
        {!isOnFile && isSwitchedOff.value && <span class="month-figure-note">The operator of this service records payment methods.</span>}
        {!isSwitchedOff.value && <button type="button" disabled={isAsking.value} onClick={() => void open()}>{isOnFile ? 'Change the payment method' : 'Add a payment method'}</button>}
        <span class="problem" role="alert">{problem.value}</span>
      </dd>
    </div>
  );
}

/** Leaves for the page of the payment provider; otherwise what went wrong. */
async function openPaymentPage(): Promise<string> {
  try {
    const { url } = await client().billing.addPaymentMethod();
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return 'The address of the payment page could not be used.';
    location.assign(url);
    return '';
  } catch (error) {
    if (!(error instanceof CompareError)) throw error;
    isSwitchedOff.value = error.code === 'payment_provider_not_configured';
    return isSwitchedOff.value ? '' : error.message;
  }
}
