import { withLaterStyles } from '../load-style';
import { lazyPart } from '../parts/lazy-part';

// Parts that come after answers. The first script does not name them, so what they share with the answers stays in one
// chunk.
export const ChoiceFoot = lazyPart(async () => (await withLaterStyles(import('../choice/choice-foot'))).ChoiceFoot);
export const CodeDialog = lazyPart(async () => (await withLaterStyles(import('../code/code-dialog'))).CodeDialog);
export const ShareDialog = lazyPart(async () => (await withLaterStyles(import('../share/share-dialog'))).ShareDialog);
