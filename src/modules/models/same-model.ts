import { foreignName } from '../../platform/observability/spans';

/** The names of a model: what the vendor is asked for, and other names under which it may answer. */
export interface ModelNames {
  vendorModel: string;
  aliases: readonly string[];
}

interface NameParts {
  /** Without prefixes, date, version and tag. */
  stem: string;
  /** The date or version at its end; undefined if there is none, or if it is `latest`. */
  release: string | undefined;
}

// 2026-11-17, 20261117, 2603 (Mistral's year and month), 09-2025, 05-06 and 001 (Google's previews and versions).
const RELEASE = /[-@](\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|\d{2}-\d{2}|\d{8}|\d{4}|\d{3}|latest)$/;

/**
 * True if the name in a vendor's answer is the model that was asked for: its name or an alias, with or without a date,
 * version, tag or prefix.
 * Two different dates are two models.
 */
export function isSameModel(answered: string, { vendorModel, aliases }: ModelNames): boolean {
  const found = partsOf(answered);
  return [vendorModel, ...aliases].some((name) => {
    const { stem, release } = partsOf(name);
    return stem === found.stem && (release === undefined || found.release === undefined || release === found.release);
  });
}

/**
 * The model that answered instead of the requested one, as the vendor names it; undefined if the vendor names the same
 * model, or none.
 */
export function substituteFor(names: ModelNames, answered: unknown): string | undefined {
  if (answered === names.vendorModel) return undefined;
  const name = foreignName(answered);
  return name === undefined || isSameModel(name, names) ? undefined : name;
}

function partsOf(name: string): NameParts {
  // Prefixes such as `models/` and `vendor/`; tags of local servers such as `:8b`.
  const bare = name
    .toLowerCase()
    .slice(name.lastIndexOf('/') + 1)
    .replace(/:.*$/, '');
  const release = RELEASE.exec(bare)?.[1];
  if (release === undefined) return { stem: bare, release: undefined };
  return {
    stem: bare.slice(0, -release.length - 1),
    release: release === 'latest' ? undefined : release.replaceAll('-', ''),
  };
}
