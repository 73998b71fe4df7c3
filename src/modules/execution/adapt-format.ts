import type { ResponseFormat } from '../../common/response-format';
import type { ResultWarning } from '../evals/result.entity';
import type { Model } from '../models/catalog';
import { countedText, type SentTexts, type Vendor } from '../providers/provider';
import { narrowSchema } from './narrow-schema';

/** Vendors that refuse a request for JSON without a schema unless its text says the word. */
const NEEDS_THE_WORD: ReadonlySet<Vendor> = new Set(['openai', 'deepseek', 'groq']);

/**
 * The response format to send to a model that was asked for `asked`; undefined to leave it out. Each change has a
 * warning.
 */
export function adaptFormat(
  asked: ResponseFormat,
  { accepts, vendor }: Pick<Model, 'accepts' | 'vendor'>,
  warnings: ResultWarning[],
): ResponseFormat | undefined {
  if (accepts.responseFormat === undefined) return ignored('This model does not accept a response format', warnings);
  if (asked.type === 'json')
    return vendor === 'anthropic'
      ? ignored('This model accepts a response format only with a schema', warnings)
      : asked;
  if (accepts.responseFormat === 'json') {
    warnings.push({
      code: 'response_format_adapted',
      message: 'This model does not accept a schema; JSON without a schema was asked for.',
    });
    return { type: 'json' };
  }
  if (vendor === 'anthropic') return forAnthropic(asked.schema, warnings);
  const isObject = (asked.schema as { type?: unknown }).type === 'object';
  return vendor === 'openai' && !isObject
    ? ignored('This model accepts only schemas with the type object', warnings)
    : asked;
}

/** The format without JSON where the vendor refuses it because the text that is sent never says the word. */
export function omitUnnamedJson<
  Applied extends { responseFormat?: ResponseFormat | undefined; warnings: ResultWarning[] },
>(applied: Applied, vendor: Vendor, texts: SentTexts): Applied {
  if (applied.responseFormat?.type !== 'json' || !NEEDS_THE_WORD.has(vendor) || /json/i.test(countedText(texts)))
    return applied;
  const warnings = applied.warnings.filter(({ code }) => code !== 'response_format_adapted');
  return {
    ...applied,
    responseFormat: ignored(
      'This model is asked for JSON only where the prompt, a turn or the system message says the word JSON',
      warnings,
    ),
    warnings,
  };
}

function ignored(reason: string, warnings: ResultWarning[]): undefined {
  warnings.push({ code: 'response_format_ignored', message: `${reason}; it was omitted.` });
  return undefined;
}

function forAnthropic(asked: object, warnings: ResultWarning[]): ResponseFormat {
  const { schema, changes } = narrowSchema(asked);
  if (changes.length > 0)
    warnings.push({
      code: 'response_format_adapted',
      message: `This model accepts a part of JSON Schema; the schema was changed: ${changes.join('; ')}.`,
    });
  return { type: 'json_schema', schema };
}
