import { readFileSync } from 'node:fs';

/** The memory of a process in MiB: now (VmRSS), or the most since its start or since it was reset (VmHWM). */
export function memoryMib(pid: number | undefined, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const [, kib = NaN] =
    new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}
