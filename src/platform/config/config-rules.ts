import { ConnectionStringError, isSilentlyUnencrypted } from './connection-string';
import type { Settings } from './environment';
import type { Variables } from './process-environment';

/** Keys of vendors, of which production needs one. */
export const VENDOR_KEYS = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'MISTRAL_API_KEY',
  'DEEPSEEK_API_KEY',
  'XAI_API_KEY',
  'GROQ_API_KEY',
  'OPENROUTER_API_KEY',
] as const;

/** True if at least one real vendor can be called. */
export function hasVendorKey(settings: Settings): boolean {
  return VENDOR_KEYS.some((name) => settings[name] !== undefined) || settings.LOCAL_MODELS.length > 0;
}

type Name = keyof Settings;

/**
 * Rules about combinations of settings. A rule applies only if all settings that it reads are valid, so that one
 * mistake is reported once.
 */
interface Rule {
  reads: readonly Name[];
  /** The problem, beginning with the name of the setting; undefined if there is none. */
  problem: (settings: Settings, variables: Variables) => string | undefined;
}

const RULES: readonly Rule[] = [
  {
    reads: ['DATABASE_URL'],
    problem: ({ DATABASE_URL }, { PGSSLMODE = 'disable' }) => {
      try {
        // Operators must not rely on encryption that this variable does not turn on.
        return isSilentlyUnencrypted(DATABASE_URL) && /^(require|verify-)/.test(PGSSLMODE)
          ? 'PGSSLMODE: is not read; put sslmode into DATABASE_URL'
          : undefined;
      } catch (error) {
        if (!(error instanceof ConnectionStringError)) throw error;
        return `DATABASE_URL: ${error.message}`;
      }
    },
  },
  {
    reads: ['WEB_CONCURRENCY', 'REDIS_URL'],
    problem: ({ WEB_CONCURRENCY, REDIS_URL }) =>
      WEB_CONCURRENCY > 1 && REDIS_URL === undefined
        ? 'REDIS_URL: is missing, and needed with WEB_CONCURRENCY above 1, whose processes share their rate limits in it'
        : undefined,
  },
  {
    reads: ['NODE_ENV', 'TRUST_PROXY'],
    problem: ({ NODE_ENV, TRUST_PROXY }) =>
      NODE_ENV === 'production' && TRUST_PROXY === true
        ? 'TRUST_PROXY: must not be true in production, where callers would choose their own address; set the number of proxies in front, or their networks'
        : undefined,
  },
  {
    reads: ['NODE_ENV', 'SIMULATOR', 'LOCAL_MODELS', ...VENDOR_KEYS],
    problem: (settings) => {
      const hasModels = hasVendorKey(settings) || settings.SIMULATOR === true;
      return settings.NODE_ENV === 'production' && !hasModels
        ? `${VENDOR_KEYS.join(', ')}: at least one of these is needed (or LOCAL_MODELS, or SIMULATOR=on)`
        : undefined;
    },
  },
  ...(['STRIPE_WEBHOOK_SECRET', 'STRIPE_RETURN_URL'] as const).map((name): Rule => ({
    reads: ['STRIPE_SECRET_KEY', name],
    problem: (settings) =>
      settings.STRIPE_SECRET_KEY !== undefined && settings[name] === undefined
        ? `${name}: is missing, and needed with STRIPE_SECRET_KEY`
        : undefined,
  })),
];

/** The rules that valid settings break. */
export function brokenRules(
  settings: Partial<Settings>,
  variables: Variables,
  isWrong: (name: string) => boolean,
): string[] {
  return RULES.filter(({ reads }) => !reads.some(isWrong)).flatMap(
    ({ problem }) => problem(settings as Settings, variables) ?? [],
  );
}
