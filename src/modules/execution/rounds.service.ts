import { Injectable } from '@nestjs/common';
import { TokenUsageService } from '../billing/token-usage.service';
import { ChecksService } from '../checks/checks.service';
import { fillChecks } from '../checks/fill-checks';
import { Result } from '../evals/result.entity';
import type { PricedModel } from '../models/models.service';
import { ModelCallService } from '../providers/model-call.service';
import { ProviderError } from '../providers/provider.error';
import { ProviderRegistry } from '../providers/provider.registry';
import { ActiveComparesService } from './active-compares.service';
import { omitUnnamedJson } from './adapt-format';
import { adaptHistory } from './adapt-history';
import { adaptParameters } from './adapt-parameters';
import type { AdmittedCompare } from './admission.service';
import { buildResult } from './build-result';
import { checkedAnswer } from './checked-answer';
import type { ActiveCompare } from './active-compare';
import { uncalled } from './model-outcome';
import type { FilledPrompt } from './prompt';
import { recordCall } from './record-compare';
import { refuseSubstitute, withSubstitute } from './substitution';

/**
 * An answer with more tokens than this is always streamed: vendors and proxies give up on connections that are silent
 * for minutes.
 */
const MAX_WHOLE_TOKENS = 8192;
/**
 * Once the answers of an eval have this number of characters, no further round begins; a single round is bounded
 * separately.
 */
const MAX_OUTPUT_CHARACTERS = 16 * 1024 * 1024;

/**
 * Calls the models of a compare: all of them concurrently, once for each sample, one round after the other, so that a
 * slow minute affects all models equally.
 */
@Injectable()
export class RoundsService {
  constructor(
    private readonly providers: ProviderRegistry,
    private readonly modelCall: ModelCallService,
    private readonly usages: TokenUsageService,
    private readonly checks: ChecksService,
    private readonly active: ActiveComparesService,
  ) {}

  /**
   * The results in the order of their positions: sample by sample, each in request order. A call that is not made any
   * more has failed, at no cost.
   */
  async callRounds(compare: ActiveCompare, { models, prompt }: AdmittedCompare): Promise<Result[]> {
    const results: Result[] = [];
    for (let sample = 0; sample < compare.command.samples; sample += 1) {
      const round = new Round(compare, sample, results);
      const obstacle = sample > 0 ? this.obstacleTo(compare, results) : undefined;
      if (obstacle === undefined) this.active.beginRound(compare);
      const calls: Promise<number>[] = [];
      for (const [index, priced] of models.entries()) {
        if (obstacle === undefined) calls.push(this.callModel(priced, prompt, round, index));
        else round.end(buildResult(uncalled(priced, compare.command.options, obstacle), round.positionOf(index)));
      }
      compare.vendorMs += slowestOf(await Promise.allSettled(calls));
    }
    return results;
  }

  /** The results with the verdicts of the compare's checks. */
  async check({ caller, command }: ActiveCompare, results: readonly Result[]): Promise<readonly Result[]> {
    if (command.checks.length === 0) return results;
    // Those of a row are filled in already; inserted texts are not scanned again.
    const checks =
      command.experimentId === undefined ? fillChecks(command.checks, { input: command.input }) : command.checks;
    const verdicts = await this.checks.verdicts(caller.userId, checks, results.map(checkedAnswer));
    return results.map((result, index) => Object.assign(new Result(), result, { checks: verdicts[index] ?? null }));
  }

  /**
   * Calls one model and adds its result to the round. Returns the milliseconds of waiting for the vendor, all attempts
   * and the pauses between them included.
   */
  private async callModel(priced: PricedModel, prompt: FilledPrompt, round: Round, index: number): Promise<number> {
    const { model, arm } = priced;
    const sent = adaptHistory(prompt, model.vendor);
    const texts = { prompt: sent.text, system: round.options.extra?.system, history: sent.history };
    const applied = omitUnnamedJson(adaptParameters(round.options, model, arm), model.vendor, texts);
    const { warnings, ...parameters } = applied;
    const request = {
      model: model.vendorModel,
      ...texts,
      ...parameters,
      isStreamed: round.isStreamed || parameters.maxTokens > MAX_WHOLE_TOKENS,
      dialect: model.dialect,
    };
    const deadline = this.usages.start(priced);
    const ended = await this.modelCall.callWithRetries(this.providers.get(model.vendor), request, (text) =>
      round.say(index, text),
    );
    // Tokens are counted after the call, so that counting does not add to its latency.
    const outcome =
      'failure' in ended
        ? ended
        : { ...ended, usage: await this.usages.resolve(priced, request, ended.completion, deadline) };
    const call = withSubstitute({ priced, outcome, applied, warnings: [...sent.warnings, ...warnings] });
    const built = buildResult(call, round.positionOf(index));
    const isAccepted = call.substitute === undefined || round.options.extra?.exact_model !== true;
    const result = isAccepted ? built : buildResult(refuseSubstitute(call), built.position);
    recordCall(round.compare, call, built, result);
    round.end(result);
    return ended.totalMs;
  }

  /**
   * Why no further round may begin: a stopping process ends in bounded time, and an eval has a bounded size. The
   * results until then are kept.
   */
  private obstacleTo({ lock }: ActiveCompare, results: readonly Result[]): ProviderError | undefined {
    // Another process can run the job from the beginning: then its eval is complete.
    if (lock !== undefined) this.active.refuseWhileStopping();
    if (this.active.isStopping) return new ProviderError('not_called');
    const characters = results.reduce((sum, { output }) => sum + output.length, 0);
    return characters < MAX_OUTPUT_CHARACTERS
      ? undefined
      : new ProviderError('not_called', {
          message:
            'The model was not called: the answers of the earlier samples are as long as those of one eval may be.',
        });
  }
}

/**
 * The longest of the times. Vendor failures are outcomes, so a rejection is a bug of ours; it is thrown when every
 * model has ended, because nothing of a finished compare may still be in progress.
 */
function slowestOf(calls: readonly PromiseSettledResult<number>[]): number {
  let slowestMs = 0;
  for (const call of calls) {
    if (call.status === 'rejected') throw call.reason;
    slowestMs = Math.max(slowestMs, call.value);
  }
  return slowestMs;
}

/** One sample of every model of a compare. */
class Round {
  readonly options: ActiveCompare['command']['options'];
  readonly isStreamed: boolean;
  /** Only present if there are several. */
  private readonly sample: number | undefined;
  private readonly first: number;

  constructor(
    readonly compare: ActiveCompare,
    sample: number,
    private readonly results: Result[],
  ) {
    const { options, samples, models } = compare.command;
    this.options = options;
    this.isStreamed = compare.isStreamed;
    this.sample = samples > 1 ? sample : undefined;
    this.first = sample * models.length;
  }

  positionOf(index: number): number {
    return this.first + index;
  }

  say(index: number, text: string): void {
    this.compare.onEvent({ type: 'delta', model: this.compare.command.models[index] ?? '', sample: this.sample, text });
  }

  end(result: Result): void {
    this.results[result.position] = result;
    this.compare.onEvent({ type: 'result-ready', sample: this.sample, result });
  }
}
