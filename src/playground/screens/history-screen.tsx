import { ScreenTitle } from '../parts/screen-title';

export function HistoryScreen() {
  return <ScreenTitle title="History" />;
}
