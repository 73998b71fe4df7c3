import { lazyComponent } from '../lazy-component';
import type { DayBarsProps } from './day-bars';

const useDayBars = lazyComponent<DayBarsProps>(async () => (await import('./day-bars')).DayBars);

/** Bars for the days of a month. Their code is loaded when they are first shown; without it the table below says the same. */
export function DayChart(props: DayBarsProps) {
  const bars = useDayBars();
  return <div class="day-chart">{bars.kind === 'loaded' && <bars.Component {...props} />}</div>;
}
