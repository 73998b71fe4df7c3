import { join } from 'node:path';
import type { ExperimentCheck, ExperimentRequest } from '../client/client';
import { checksOf } from './checks';
import { UsageError } from './exit-codes';
import { fileText, jsonOf } from './files';
import { modelsOf, numberOf, requestOptionsOf, textArgument, type RequestOptions } from './request';
import { defaultModels } from './settings';
import type { System } from './system';

/** Options from which the body of an experiment is made. */
export interface ExperimentOptions extends Omit<RequestOptions, 'input' | 'store'> {
  dataset?: string;
  /** The name of the file in the folder. */
  spec?: string;
  prompt?: string;
  name?: string;
  limit?: string;
  parallel?: string;
  /** Criteria, each for a check that the judge decides. */
  rubric?: string[];
  judge?: string;
}

/**
 * The body of an experiment: the members of `experiment.json` in the folder, if there is one, and the options, which
 * win. Checks of both count. @throws UsageError
 */
export async function experimentOf(
  system: System,
  folder: string | undefined,
  options: ExperimentOptions,
): Promise<Omit<ExperimentRequest, 'dataset'> & { dataset?: string }> {
  const { maxCost } = options;
  if (maxCost === undefined)
    throw new UsageError('Set a cap with --max-cost: the experiment never costs more USD than that.');
  const file = folder === undefined ? {} : fileOf(system, join(folder, options.spec ?? 'experiment.json'));
  const prompt = (await promptOf(system, options)) ?? file.prompt;
  if (prompt === undefined)
    throw new UsageError('Pass the prompt with --prompt or --file, or name a folder with experiment.json.');
  const models = modelsOf(options.models ?? file.models ?? defaultModels(system));
  return {
    ...file,
    ...(await membersOf(system, file, options)),
    prompt,
    models,
    max_cost_usd: numberOf('--max-cost', maxCost),
  };
}

/** The members that may be absent, as far as options name them. */
async function membersOf(
  system: System,
  file: Partial<ExperimentRequest>,
  options: ExperimentOptions,
): Promise<Partial<ExperimentRequest>> {
  const { name, limit, parallel } = options;
  const settings = { ...file.options, ...(await requestOptionsOf(system, { ...options, maxCost: undefined })) };
  const checks = [...(file.checks ?? []), ...checksOf(system, options), ...rubricsOf(options)];
  return {
    ...(name !== undefined && { name }),
    ...(limit !== undefined && { limit: numberOf('--limit', limit) }),
    ...(parallel !== undefined && { parallel: numberOf('--parallel', parallel) }),
    ...(Object.keys(settings).length > 0 && { options: settings }),
    ...(checks.length > 0 && { checks }),
  };
}

function rubricsOf({ rubric = [], judge }: ExperimentOptions): ExperimentCheck[] {
  if (rubric.length === 0 && judge !== undefined) throw new UsageError('--judge needs --rubric, the criterion.');
  if (rubric.length > 0 && judge === undefined) throw new UsageError('--rubric needs --judge, the model that decides.');
  return rubric.map((criterion) => ({
    type: 'rubric',
    criterion,
    judge: judge ?? '',
  }));
}

/** Its members are the service's to judge. */
function fileOf(system: System, path: string): Partial<ExperimentRequest> {
  const value = jsonOf(fileText(system, path), path);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${path} must contain a JSON object.`);
  return value;
}

async function promptOf(system: System, { prompt, file }: ExperimentOptions): Promise<string | undefined> {
  if (prompt !== undefined && file !== undefined) throw new UsageError('Choose --prompt or --file.');
  return prompt === undefined && file === undefined ? undefined : await textArgument(system, prompt, file);
}
