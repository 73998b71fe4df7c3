import type { Drift } from './types';

/** That a vendor changed the model behind a name, as on the page and in `mcs`. */
export function answeredByText({ before, after }: Drift['models'][number]['answered_by']): string {
  return `the vendor changed the model: now ${after.join(', ')}, before ${before.join(', ')}`;
}
