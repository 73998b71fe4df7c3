import { createHash } from 'node:crypto';
import { ModelDto } from './models.dto';
import type { PricedModel } from './models.service';

/** The list of models as it goes over the wire. */
export interface ModelsResponse {
  body: string;
  etag: string;
}

/** Writes a list of models once for all who may see the same of it, as long as it is the same list. */
export class ModelsResponseCache {
  private list: readonly PricedModel[] | undefined;
  private readonly written = new Map<string, ModelsResponse>();

  /** The answer with the models of those ids (null for all). */
  of(list: readonly PricedModel[], allowed: readonly string[] | null, includeDetails: boolean): ModelsResponse {
    // Keys with a list of their own are few and their lists many, so those are not kept.
    if (allowed !== null) return written(list.filter(({ model }) => allowed.includes(model.id)), includeDetails);
    if (this.list !== list) {
      this.list = list;
      this.written.clear();
    }
    const kind = includeDetails ? 'details' : 'plain';
    const answer = this.written.get(kind) ?? written(list, includeDetails);
    this.written.set(kind, answer);
    return answer;
  }
}

function written(list: readonly PricedModel[], includeDetails: boolean): ModelsResponse {
  const body = JSON.stringify({ models: list.map((priced) => ModelDto.from(priced, includeDetails)) });
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` };
}
