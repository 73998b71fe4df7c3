import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { shortAmount } from '../../client/amount-text';
import { maxAmount, shareOf } from '../money';
import { prefs } from '../prefs';

/** The exact cost of each day of a month. */
export interface DayBarsProps {
  days: readonly { day: string; cost: string }[];
}

const HEIGHT = 160;
const FULL_BAR = 0.7;
const MAX_BAR_PIXELS = 28;

/** The cost of each day as bars. They are drawn from shares of the highest day, so amounts stay exact text. */
export function DayBars({ days }: DayBarsProps) {
  const container = useRef<HTMLDivElement>(null);
  const { theme } = prefs.value;
  useEffect(() => (container.current === null ? undefined : keepDrawn(container.current, days)), [days, theme]);
  return <div ref={container} class="day-bars" role="img" aria-label="Cost by day as bars; the table below has the same figures" />;
}

/** Draws now, when the width changes and when the device turns dark or light. Returns what ends it. */
function keepDrawn(container: HTMLElement, days: DayBarsProps['days']): () => void {
  let chart = draw(container, days);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const redraw = (): void => {
    chart.destroy();
    chart = draw(container, days);
  };
  const observer = new ResizeObserver(() => chart.setSize({ width: container.clientWidth, height: HEIGHT }));
  observer.observe(container);
  dark.addEventListener('change', redraw);
  return () => {
    observer.disconnect();
    dark.removeEventListener('change', redraw);
    chart.destroy();
  };
}

function draw(container: HTMLElement, days: DayBarsProps['days']): uPlot {
  const most = maxAmount(days.map(({ cost }) => cost));
  const { color: bars, borderTopColor: lines, outlineColor: words, fontFamily } = getComputedStyle(container);
  const axis = { stroke: words, font: `12px ${fontFamily}`, ticks: { show: false } };
  const options: uPlot.Options = {
    width: container.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false, range: [0.5, days.length + 0.5] }, y: { range: [0, 1] } },
    series: [{}, { fill: bars, paths: uPlot.paths.bars?.({ size: [FULL_BAR, MAX_BAR_PIXELS] }), points: { show: false } }],
    axes: [
      { ...axis, size: 28, gap: 4, grid: { show: false }, incrs: [1, 2, 5, 10], space: 28, values: (_chart, numbers) => numbers.map((number) => (Number.isInteger(number) ? String(number) : '')) },
      { ...axis, size: 72, splits: [0, 1], values: () => ['$0', most === '0' ? '' : shortAmount(most)], grid: { stroke: lines, width: 1 } },
    ],
  };
  return new uPlot(options, [days.map((_, index) => index + 1), days.map(({ cost }) => shareOf(cost, most))], container);
}

