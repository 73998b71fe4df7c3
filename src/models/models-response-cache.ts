import { createHash } from 'node:crypto';
import { ModelDto } from './models.dto';
import type { PricedModel } from './models.service';

/** A serialized response of GET /models. */
export interface ModelsResponse {
  body: string;
  etag: string;
}

/** Serializes the full list of models once and reuses it until the list changes. */
export class ModelsResponseCache {
  private list: readonly PricedModel[] | undefined;
  private readonly responses = new Map<string, ModelsResponse>();

  /** The response with the allowed models (null: all models). */
  get(list: readonly PricedModel[], allowed: readonly string[] | null, includeDetails: boolean): ModelsResponse {
    // Keys with a list of their own are few and their lists differ, so those are not cached.
    if (allowed !== null) return createResponse(list.filter(({ model }) => allowed.includes(model.id)), includeDetails);
    if (this.list !== list) {
      this.list = list;
      this.responses.clear();
    }
    const variant = includeDetails ? 'details' : 'plain';
    const response = this.responses.get(variant) ?? createResponse(list, includeDetails);
    this.responses.set(variant, response);
    return response;
  }
}

function createResponse(list: readonly PricedModel[], includeDetails: boolean): ModelsResponse {
  const body = JSON.stringify({ models: list.map((priced) => ModelDto.from(priced, includeDetails)) });
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` };
}
