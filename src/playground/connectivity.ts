import { signal } from '@preact/signals';
import { announce } from './parts/status-line';

/** What stands on every screen, and is said, while there is no network. */
export const OFFLINE = 'You are offline. The form stays usable; a run needs the network.';

/** Whether the device says it has a network; it may be wrong both ways, so nothing is refused for it. */
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
