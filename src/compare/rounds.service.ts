import { Injectable } from '@nestjs/common';
import { ChecksService } from '../checks/checks.service';
import { fillChecks } from '../checks/fill-checks';
import { Result } from '../evals/result.entity';
import { ProviderError } from '../providers/provider.error';
import type { AdmittedCompare } from './admission.service';
import { buildResult } from './build-result';
import { checkedAnswer } from './checked-answer';
import type { CompareRun, OnRunEvent } from './compare.types';
import { FanOutService, uncalled } from './fan-out.service';
import { RunningComparesService } from './running-compares.service';

/** Once the answers of an eval have this number of characters, no further round begins; a single round is bounded separately. */
const MAX_OUTPUT_CHARACTERS = 16 * 1024 * 1024;

/** Calls the models of a run: all of them at the same instant, as often as the run has samples, one round after the other, so that a slow minute hits all models alike. */
@Injectable()
export class RoundsService {
  constructor(
    private readonly fanOut: FanOutService,
    private readonly runs: RunningComparesService,
    private readonly checks: ChecksService,
  ) {}

  /** The results in the order of their positions: sample by sample, each in request order. What is not called any more has failed, at no cost. */
  async run(run: CompareRun, admitted: AdmittedCompare, onEvent: OnRunEvent): Promise<Result[]> {
    const results: Result[] = [];
    for (let sample = 0; sample < run.command.samples; sample += 1) {
      const obstacle = sample > 0 ? this.obstacleTo(run, results) : undefined;
      if (obstacle === undefined) await this.callAll(run, admitted, new Round(run, sample, results, onEvent));
      else skipAll(run, admitted, new Round(run, sample, results, onEvent), obstacle);
    }
    return results;
  }

  /** The results with what the checks of the run say of them. */
  async check({ caller, command }: CompareRun, results: readonly Result[]): Promise<readonly Result[]> {
    if (command.checks.length === 0) return results;
    const verdicts = await this.checks.verdicts(caller.userId, fillChecks(command.checks, { input: command.input }), results.map(checkedAnswer));
    return results.map((result, index) => Object.assign(new Result(), result, { checks: verdicts[index] ?? null }));
  }

  private async callAll(run: CompareRun, { models, prompt }: AdmittedCompare, round: Round): Promise<void> {
    this.runs.beginRound(run);
    let slowestMs = 0;
    await this.fanOut.run(models, prompt, run.command.options, {
      onText: (index, text) => round.say(index, text),
      onOutcome: (index, outcome) => {
        const result = buildResult(outcome, round.positionOf(index));
        this.runs.countModelCall(outcome, result);
        slowestMs = Math.max(slowestMs, outcome.vendorMs);
        round.end(result);
      },
    });
    this.runs.endRound(run, slowestMs);
  }

  /** Why no further round may begin: a stopping process ends in bounded time, and an eval has a bounded size. What was paid for until then is kept. */
  private obstacleTo({ claim }: CompareRun, results: readonly Result[]): ProviderError | undefined {
    // Another process can run it from the beginning: then its eval is whole.
    if (claim !== undefined) this.runs.refuseWhileStopping();
    if (this.runs.isStopping) return new ProviderError('not_called');
    const characters = results.reduce((sum, { output }) => sum + output.length, 0);
    return characters < MAX_OUTPUT_CHARACTERS ? undefined : new ProviderError('not_called', { message: 'The model was not called: the answers of the earlier samples are as long as those of one eval may be.' });
  }
}

function skipAll({ command }: CompareRun, { models }: AdmittedCompare, round: Round, obstacle: ProviderError): void {
  for (const [index, priced] of models.entries()) round.end(buildResult(uncalled(priced, command.options, obstacle), round.positionOf(index)));
}

/** One sample of every model of a run. */
class Round {
  /** Only present if there are several. */
  private readonly sample: number | undefined;
  private readonly first: number;
  private readonly models: readonly string[];

  constructor({ command }: CompareRun, sample: number, private readonly results: Result[], private readonly onEvent: OnRunEvent) {
    this.sample = command.samples > 1 ? sample : undefined;
    this.models = command.models;
    this.first = sample * command.models.length;
  }

  positionOf(index: number): number {
    return this.first + index;
  }

  say(index: number, text: string): void {
    this.onEvent({ type: 'delta', model: this.models[index] ?? '', sample: this.sample, text });
  }

  end(result: Result): void {
    this.results[result.position] = result;
    this.onEvent({ type: 'result-ready', sample: this.sample, result });
  }
}
