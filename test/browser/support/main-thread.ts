import type { Page } from 'playwright-core';
import { browser } from './chromium';

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  args?: { name?: string };
  /** Processor time of the thread, in microseconds. */
  tdur?: number;
}

/**
 * The processor time that each task on the page's main thread took until `stop`, in milliseconds. Others who use the
 * machine make a task end later, but not its processor time longer.
 */
export async function countTasks(page: Page): Promise<{ stop(): Promise<number[]> }> {
  const traced = await browser();
  await traced.startTracing(page, { categories: ['toplevel'] });
  return {
    stop: async () => {
      const trace = (await traced.stopTracing()).toString('utf8');
      const { traceEvents } = JSON.parse(trace) as { traceEvents: TraceEvent[] };
      const thread = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
      const main = new Set(
        traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(thread),
      );
      return traceEvents
        .filter((event) => event.name.endsWith('RunTask') && main.has(thread(event)))
        .map(({ tdur = 0 }) => tdur / 1000);
    },
  };
}
