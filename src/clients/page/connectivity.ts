import { signal } from '@preact/signals';
import { announce } from './parts/status-line';

/** The text on every screen, also announced, while there is no network. */
export const OFFLINE = 'You are offline. The form stays usable; a run needs the network.';

/** True if the device reports a network. It may be wrong in both ways, so no action depends on it. */
export const isOnline = signal(true);

/** Follows the device. */
export function startConnectivity(): void {
  const follow = (): void => {
    if (isOnline.value === navigator.onLine) return;
    isOnline.value = navigator.onLine;
    announce(navigator.onLine ? 'You are online again.' : OFFLINE);
  };
  addEventListener('online', follow);
  addEventListener('offline', follow);
  follow();
}
