import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Config } from '../config/config';
import type { CompareOutcome } from './compare.types';

/** Logs the prompt and the outputs of each compare, with LOG_PROMPTS only. */
@Injectable()
export class PromptLogService {
  constructor(
    private readonly config: Config,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** Logs a finished compare on the logger of its request. */
  log(outcome: CompareOutcome, request: Pick<FastifyRequest, 'id' | 'log'>): void {
    if (this.config.LOG_PROMPTS) request.log.info({ reqId: request.id, ...textsOf(outcome) }, 'compare');
  }

  /** Logs a finished run, which belongs to no request. */
  logRun(outcome: CompareOutcome, runId: string): void {
    if (this.config.LOG_PROMPTS) this.adapterHost.httpAdapter.getInstance<FastifyInstance>().log.info({ runId, ...textsOf(outcome) }, 'compare');
  }
}

function textsOf({ stored: { record, results }, isReplay }: CompareOutcome) {
  return { evalId: record.id, isReplay, prompt: record.prompt, input: record.input, outputs: results.map(({ model, output }) => ({ model, output })) };
}
