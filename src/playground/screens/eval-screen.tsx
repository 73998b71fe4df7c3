import { ScreenTitle } from '../parts/screen-title';

export function EvalScreen() {
  return <ScreenTitle title="Eval" />;
}
