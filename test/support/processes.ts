import { execFileSync } from 'node:child_process';
import type { ServiceProcess } from './service';

/** The workers of a service that run now. */
export function workersOf({ child }: ServiceProcess): number[] {
  return childrenOf(child.pid);
}

/** The processes that a process has started and that run now. */
export function childrenOf(pid: number | undefined): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return lines
    .filter(([, parent, state]) => Number(parent) === pid && !state?.startsWith('Z'))
    .map(([child]) => Number(child));
}
