import { withLaterStyles } from '../load-style';
import { lazyPart } from '../parts/lazy-part';

// Running again and comparing come together when one of them is first needed.
const load = () => withLaterStyles(import('../drift/drift-parts'));

export const Drift = lazyPart(async () => (await load()).Drift);
export const EarlierEval = lazyPart(async () => (await load()).EarlierEval);
export const RerunDialog = lazyPart(async () => (await load()).RerunDialog);
