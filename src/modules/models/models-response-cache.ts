import { LRUCache } from 'lru-cache';
import { etagOf } from '../../platform/http/etag';
import { ModelDto } from './models.dto';
import type { PricedModel } from './models.service';

/** A serialized response of GET /models. */
interface ModelsResponse {
  body: string;
  etag: string;
}

/** For keys with restricted lists; there are few such lists. */
const MAX_RESPONSES = 100;

/**
 * Serializes the models that a key may call once, for all keys that may call the same, and reuses the text until the
 * list changes.
 */
export class ModelsResponseCache {
  private list: readonly PricedModel[] | undefined;
  private readonly responses = new LRUCache<string, ModelsResponse>({ max: MAX_RESPONSES });

  /** The response with the allowed models (null: all models). */
  get(list: readonly PricedModel[], allowed: readonly string[] | null, includeDetails: boolean): ModelsResponse {
    if (this.list !== list) {
      this.list = list;
      this.responses.clear();
    }
    const variant = allowed === null ? String(includeDetails) : JSON.stringify([includeDetails, allowed]);
    const existing = this.responses.get(variant);
    if (existing !== undefined) return existing;
    const response = createResponse(
      allowed === null ? list : list.filter(({ model }) => allowed.includes(model.id)),
      includeDetails,
    );
    this.responses.set(variant, response);
    return response;
  }
}

function createResponse(list: readonly PricedModel[], includeDetails: boolean): ModelsResponse {
  const body = JSON.stringify({ models: list.map((priced) => ModelDto.from(priced, includeDetails)) });
  return { body, etag: etagOf(body) };
}
