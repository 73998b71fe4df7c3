import { ModelComparison } from '../client/client';
import { settingsOf, USER_KEY, type Settings } from './settings';
import type { System } from './system';
import { Terminal } from './terminal';

/** Options of every command. */
export interface CommonOptions {
  url?: string;
  json?: boolean;
  jsonl?: boolean;
  color: boolean;
}

/** The environment of a command. */
export interface Context {
  system: System;
  terminal: Terminal;
  settings: Settings;
  mcs: ModelComparison;
}

/** @throws UsageError, KeyError before anything is sent */
export function contextOf(system: System, { url, color }: CommonOptions, kind = USER_KEY): Context {
  const settings = settingsOf(system, url, kind);
  return {
    system,
    terminal: new Terminal(system, color),
    settings,
    mcs: new ModelComparison({ baseUrl: settings.url, apiKey: settings.apiKey }),
  };
}
