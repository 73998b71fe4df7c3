import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Config } from '../common/config';
import type { CompareOutcome } from './compare.types';

/** Logs the prompt and the outputs of each compare, with LOG_PROMPTS only. */
@Injectable()
export class PromptLogService {
  constructor(private readonly config: Config) {}

  /** Logs a finished compare on the logger of its request. */
  log({ stored: { record, results }, isReplay }: CompareOutcome, request: Pick<FastifyRequest, 'id' | 'log'>): void {
    if (!this.config.LOG_PROMPTS) return;
    const outputs = results.map(({ model, output }) => ({ model, output }));
    request.log.info({ reqId: request.id, evalId: record.id, isReplay, prompt: record.prompt, input: record.input, outputs }, 'compare');
  }
}
