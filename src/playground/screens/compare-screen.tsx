import { ScreenTitle } from '../parts/screen-title';

export function CompareScreen() {
  return <ScreenTitle title="Compare" />;
}
