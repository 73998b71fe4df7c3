import { useSignal } from '@preact/signals';
import { isPaymentOff, openPaymentPage } from '../payment';

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
