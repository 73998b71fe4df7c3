import type { z } from 'zod';
import { brokenRules, hasVendorKey } from './config-rules';
import { environment, type Settings } from './environment';
import { OperatorError } from '../../common/operator-error';
import { envFileProblem, type Variables } from './process-environment';
import { readSettingFiles } from './setting-files';
import { areTracesOn, telemetryVariables } from './telemetry';
import { removedIn, unknownIn } from './unknown-settings';

/**
 * A base class with a property for each setting; TypeScript cannot declare properties from a type in the class itself.
 */
const SettingsBase = class {
  constructor(settings: Settings) {
    Object.assign(this, settings);
  }
} as new (settings: Settings) => Settings;

/**
 * The validated settings of this process, under the names of their environment variables; read once and never changed.
 * A class, so that Nest can inject it by type.
 */
export class Config extends SettingsBase {
  private constructor(
    settings: Settings,
    /** The variables of OpenTelemetry, for its SDK. */
    readonly telemetry: Variables,
  ) {
    super(settings);
  }

  /**
   * Validates the environment, and the files that it names. @throws ConfigError naming each wrong variable, never a
   * value.
   */
  static read(variables: Variables): Config {
    const { settings, problems, telemetry } = examine(variables);
    // A misspelled name is the likely reason for a missing one.
    if (problems.length > 0)
      throw new ConfigError([
        ...problems,
        ...unknownIn(variables).map(({ sentence }) => sentence),
        ...removedIn(variables),
      ]);
    return Object.freeze(new Config(settings as Settings, telemetry));
  }

  /**
   * True if simulated models are offered: as set, otherwise only outside production and only while no vendor has a key.
   */
  get simulatorOn(): boolean {
    return this.SIMULATOR ?? (this.NODE_ENV !== 'production' && !this.hasVendorKey);
  }

  /**
   * How long everything is still served after a stop signal: as set, otherwise 5 s in production, where a load balancer
   * has to notice, and 0 elsewhere.
   */
  get drainMs(): number {
    return 1000 * (this.DRAIN_SECONDS ?? (this.NODE_ENV === 'production' ? 5 : 0));
  }

  /** True if spans are recorded and sent. */
  get tracesOn(): boolean {
    return areTracesOn(this.telemetry);
  }

  /** How users come to have a payment method. */
  get payments(): 'manual' | 'stripe' {
    return this.STRIPE_SECRET_KEY === undefined ? 'manual' : 'stripe';
  }

  /** True if at least one real vendor can be called. */
  get hasVendorKey(): boolean {
    return hasVendorKey(this);
  }
}

/** The settings that are valid, and what is wrong with the others or with all of them together. */
export function examine(variables: Variables): {
  settings: Partial<Settings>;
  problems: string[];
  telemetry: Variables;
} {
  // Without its variables, most others would be called missing.
  if (envFileProblem !== undefined) return { settings: {}, problems: [envFileProblem], telemetry: {} };
  const files = readSettingFiles(variables);
  const values = files.variables;
  const settings: Record<string, unknown> = {};
  const problems = new Map(files.problems);
  for (const [name, schema] of Object.entries(environment.shape)) {
    const parsed = schema.safeParse(values[name]);
    if (parsed.success) settings[name] = parsed.data;
    else if (!problems.has(name))
      problems.set(name, `${name}: ${values[name] === undefined ? 'is missing' : expectation(parsed.error.issues[0])}`);
  }
  const broken = brokenRules(settings, values, (name) => problems.has(name));
  return { settings, problems: [...problems.values(), ...broken], telemetry: telemetryVariables(values) };
}

/** The environment is invalid; the message names the variables and what they must be, and never a value. */
export class ConfigError extends OperatorError {
  constructor(problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

// Zod's own messages may quote the value, which can be a secret.
function expectation(issue: z.core.$ZodIssue | undefined): string {
  switch (issue?.code) {
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' ? issue.message : `must be at least ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'invalid_type':
      return issue.expected === 'int' ? 'must be a whole number' : `must be a ${issue.expected}`;
    // These are our own words, or quote nothing.
    default:
      return issue?.message ?? 'is not valid';
  }
}
