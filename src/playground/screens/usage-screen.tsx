import { ScreenTitle } from '../parts/screen-title';

export function UsageScreen() {
  return <ScreenTitle title="Usage" />;
}
