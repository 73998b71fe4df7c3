import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import type { DayBarsProps } from './day-bars';

const loaded = signal<ComponentType<DayBarsProps> | undefined>(undefined);

/** Bars for the days of a month. Their code is loaded when they are first shown; without it the table below says the same. */
export function DayChart(props: DayBarsProps) {
  useEffect(() => void load(), []);
  const DayBars = loaded.value;
  return <div class="day-chart">{DayBars !== undefined && <DayBars {...props} />}</div>;
}

async function load(): Promise<void> {
  if (loaded.value !== undefined) return;
  try {
    const { DayBars } = await import('./day-bars');
    loaded.value = DayBars;
  } catch {
    // No network, or the service was renewed since this page was loaded.
  }
}
