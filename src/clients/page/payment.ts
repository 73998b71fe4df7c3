import { signal } from '@preact/signals';
import { CompareError } from '../client/client';
import { client } from './session';

/** True once the service has said that it does not accept payment methods itself. */
export const isPaymentOff = signal(false);

/** Leaves for the page of the payment provider. Returns what went wrong; empty where `isPaymentOff` says it. */
export async function openPaymentPage(): Promise<string> {
  try {
    const { url } = await client().billing.addPaymentMethod();
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return 'The address of the payment page could not be used.';
    location.assign(url);
    return '';
  } catch (error) {
    if (!(error instanceof CompareError)) throw error;
    isPaymentOff.value = error.code === 'payment_provider_not_configured';
    return isPaymentOff.value ? '' : error.message;
  }
}
