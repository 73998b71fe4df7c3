import { signal } from '@preact/signals';

/** Whether the device says it has a network; it may be wrong both ways, so nothing is refused for it. */
export const isOnline = signal(true);

/** Follows the device. */
export function startConnectivity(): void {
  const follow = (): void => { isOnline.value = navigator.onLine; };
  addEventListener('online', follow);
  addEventListener('offline', follow);
  follow();
}
