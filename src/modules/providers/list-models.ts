import { z } from 'zod';
import { EFFORTS } from '../../common/effort';
import { OperatorError } from '../../common/operator-error';
import { readBounded } from '../../common/read-bounded';
import {
  factDay,
  factEfforts,
  factSecond,
  factText,
  factTokens,
  lenient,
  statedUsd,
  type ModelFacts,
  type StatedRates,
} from './model-facts';
import type { VendorAccess } from './provider';

// Far above the longest real list, OpenRouter's with some hundred models.
const MAX_PAGES = 20;
const MAX_MODELS = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

const NO_LIST = 'answers no list of models';

const supported = lenient(
  z.union([z.boolean(), z.object({ supported: z.boolean() }).transform((support) => support.supported)]),
);

/** The members of OpenAI, Mistral, Groq and OpenRouter together. */
const chatModel = z.object({
  id: z.string().min(1).max(200),
  name: factText,
  created: factSecond,
  shutdown_date: factDay,
  expiration_date: factDay,
  context_length: factTokens,
  max_context_length: factTokens,
  context_window: factTokens,
  max_completion_tokens: factTokens,
  top_provider: lenient(z.object({ max_completion_tokens: factTokens })).transform(
    (provider) => provider?.max_completion_tokens,
  ),
  pricing: lenient(z.record(z.string(), z.unknown())),
  supported_parameters: lenient(z.array(z.unknown())),
  reasoning: lenient(
    z.object({
      supported_efforts: factEfforts,
      default_effort: lenient(z.enum(EFFORTS)),
      mandatory: lenient(z.boolean()),
    }),
  ).transform((reasoning) => reasoning ?? {}),
});

const anthropicModel = z.object({
  id: z.string().min(1).max(200),
  display_name: factText,
  created_at: factDay,
  lifecycle: factText,
  retires_at: factDay,
  max_tokens: factTokens,
  max_input_tokens: factTokens,
  capabilities: lenient(
    z.object({
      effort: lenient(z.record(z.string(), supported)),
      structured_outputs: supported,
      thinking: lenient(z.object({ types: z.object({ disabled: supported }) })).transform(
        (thinking) => thinking?.types.disabled,
      ),
    }),
  ),
});

/** A page of either SDK; its items may be anything. */
interface Page {
  iterPages(): AsyncIterable<{ getPaginatedItems(): unknown }>;
}

/**
 * Asks a vendor's Models API, through its SDK, which is loaded only now. `today` is a UTC day. @throws OperatorError
 * with a reason that contains no text of the vendor
 */
export async function listModels(
  vendor: string,
  access: VendorAccess,
  today: string,
  signal: AbortSignal,
): Promise<ModelFacts[]> {
  try {
    const items = await readPages(
      await (vendor === 'anthropic' ? anthropicPage(access, signal) : chatPage(access, signal)),
    );
    const read = vendor === 'anthropic' ? anthropicFacts : (item: unknown) => chatFacts(item, today);
    const models = items.flatMap((item) => read(item) ?? []);
    if (models.length === 0) throw new OperatorError(NO_LIST);
    return models;
  } catch (error) {
    throw new OperatorError(reasonOf(error, signal), error);
  }
}

async function chatPage({ apiKey, baseUrl }: VendorAccess, signal: AbortSignal): Promise<Page> {
  const { OpenAI } = await import('openai/client');
  const options = {
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: 'off',
  } as const;
  return new OpenAI({ ...options, apiKey: apiKey.trim(), baseURL: baseUrl, fetch: boundedFetch(signal) }).models.list({
    signal,
  });
}

async function anthropicPage({ apiKey, baseUrl }: VendorAccess, signal: AbortSignal): Promise<Page> {
  const { Anthropic } = await import('@anthropic-ai/sdk/client');
  const client = new Anthropic({
    apiKey: apiKey.trim(),
    baseURL: baseUrl,
    webhookKey: null,
    maxRetries: 0,
    logLevel: 'off',
    fetch: boundedFetch(signal),
  });
  // Retired models are listed only where they are asked for.
  return client.models.list({ limit: 1000, lifecycle: ['active', 'deprecated', 'retired'] }, { signal });
}

/** The SDKs' own timeouts end with the headers, and they read bodies of any size. */
function boundedFetch(signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual', signal });
    const body = await readBounded(response, MAX_BYTES);
    return new Response(body.length === 0 ? null : new Uint8Array(body), {
      status: response.status,
      headers: response.headers,
    });
  };
}

async function readPages(first: Page): Promise<unknown[]> {
  const items: unknown[] = [];
  let pages = 0;
  for await (const page of first.iterPages()) {
    const found = page.getPaginatedItems();
    pages += 1;
    if (!Array.isArray(found)) throw new OperatorError(NO_LIST);
    if (pages > MAX_PAGES || items.length + found.length > MAX_MODELS)
      throw new OperatorError(`lists more than ${MAX_PAGES} pages or ${MAX_MODELS} models`);
    for (const item of found as unknown[]) items.push(item);
  }
  return items;
}

function chatFacts(item: unknown, today: string): ModelFacts | undefined {
  const model = chatModel.safeParse(item).data;
  if (model === undefined) return undefined;
  const {
    id,
    name,
    shutdown_date: shutdown,
    expiration_date: end,
    pricing,
    reasoning,
    supported_parameters: parameters,
  } = model;
  return {
    id,
    name,
    listedSince: model.created,
    end: shutdown ?? end,
    isRetired: shutdown !== undefined && shutdown <= today,
    contextWindow: model.context_length ?? model.max_context_length ?? model.context_window,
    maxOutputTokens: model.top_provider ?? model.max_completion_tokens,
    efforts: reasoning.supported_efforts,
    defaultEffort: reasoning.default_effort,
    isMandatory: reasoning.mandatory,
    takesTemperature: parameters?.includes('temperature'),
    takesSchemas: parameters?.includes('structured_outputs'),
    prices: pricing && [perTokenRates(pricing)],
  };
}

function perTokenRates(pricing: Record<string, unknown>): StatedRates {
  const rate = (name: string) => statedUsd(pricing[name], '1000000');
  return {
    input: rate('prompt'),
    output: rate('completion'),
    cachedInput: rate('input_cache_read'),
    cacheWrite: rate('input_cache_write'),
  };
}

function anthropicFacts(item: unknown): ModelFacts | undefined {
  const model = anthropicModel.safeParse(item).data;
  if (model === undefined) return undefined;
  const { effort, thinking: mayRest, structured_outputs: takesSchemas } = model.capabilities ?? {};
  return {
    // Past its date, a model may still wait for its retirement.
    id: model.id,
    name: model.display_name,
    listedSince: model.created_at,
    end: model.retires_at,
    isRetired: model.lifecycle === 'retired',
    contextWindow: model.max_input_tokens,
    maxOutputTokens: model.max_tokens,
    // Models without efforts may still take a budget for thought.
    efforts: effort?.['supported'] === true ? EFFORTS.filter((word) => effort[word] === true) : undefined,
    isMandatory: mayRest === undefined ? undefined : !mayRest,
    takesSchemas,
  };
}

/** A sentence's predicate; the SDKs' messages quote the vendor. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  const { status, cause, name, message } = error as Error & { status?: unknown };
  if (error instanceof OperatorError) return message;
  if (cause instanceof OperatorError) return cause.message;
  if (typeof status === 'number') return `answers ${status}`;
  if (signal.aborted) return 'does not answer in time';
  if (name === 'SyntaxError') return 'answers no JSON';
  return error instanceof TypeError ? NO_LIST : 'is not reachable';
}
