import { OmitType, PickType } from '@nestjs/swagger';
import { DecisionDto } from '../experiments/decision/decision.dto';
import { ExperimentDto } from '../experiments/experiment.dto';
import type { SharedParts } from '../experiments/report/render-report';
import { ExperimentRowDto } from '../experiments/rows/rows.dto';
import { ExperimentSummaryDto } from '../experiments/summary/summary.dto';
import type { Share } from './share.entity';
import { DateTime, Flag, Part, Parts, Schema } from '../../platform/http/answer.decorators';

@Schema('What was decided after a shared experiment.')
class SharedDecisionDto extends OmitType(DecisionDto, ['decided_by']) {}

// Members are picked by name: what an experiment learns to say later is not shared by accident.
@Schema('A row of a shared experiment in which models differ.')
class SharedRowDto extends PickType(ExperimentRowDto, ['row_no', 'row_id', 'input', 'expected', 'results']) {}

@Schema(
  'An experiment that somebody shares by a link. Without texts, name, prompt and reason are null, and checks and rows empty.',
)
export class SharedExperimentDto extends PickType(ExperimentDto, [
  'models',
  'name',
  'prompt',
  'checks',
  'created_at',
  'finished_at',
]) {
  @DateTime('When the link ends (UTC), unless it is revoked before.')
  expires_at!: string;

  @Flag('Whether the texts are shown.')
  texts!: boolean;

  @Flag('Whether everyone with the link may vote.')
  votes!: boolean;

  @Part(ExperimentSummaryDto, 'Its figures and the model to take, at the tolerance of the decision.')
  summary!: ExperimentSummaryDto;

  @Part(SharedDecisionDto, 'What was decided; null without a decision.', { nullable: true })
  decision!: SharedDecisionDto | null;

  @Parts(SharedRowDto, 'At most 10, those first in which the recommended model failed.')
  rows!: SharedRowDto[];

  static from(
    { experiment, summary, rows }: SharedParts,
    { redact, votes, expiresAt }: Pick<Share, 'redact' | 'votes' | 'expiresAt'>,
  ): SharedExperimentDto {
    const { models, created_at, finished_at, decision, name, prompt, checks } = experiment;
    const texts = redact.length === 0;
    return {
      expires_at: expiresAt.toISOString(),
      ...{ texts, votes, models, created_at, finished_at },
      // The names of checks are texts of the user.
      summary: texts ? summary : { ...summary, models: summary.models.map((model) => ({ ...model, checks: [] })) },
      decision: decision && decisionOf(decision, texts),
      ...(texts ? { name, prompt, checks, rows: rows.map(rowOf) } : { name: null, prompt: null, checks: [], rows: [] }),
    };
  }
}

function decisionOf({ model, tolerance, decided_at, reason }: DecisionDto, texts: boolean): SharedDecisionDto {
  return { model, tolerance, decided_at, reason: texts ? reason : null };
}

/** The words of an error may name what is not shared. */
function rowOf({ row_no, row_id, input, expected, results }: ExperimentRowDto): SharedRowDto {
  const plain = results.map(({ error, ...result }) => ({
    ...result,
    ...(error !== undefined && {
      error: { code: error.code, message: 'This model failed.', retryable: error.retryable },
    }),
  }));
  return { row_no, row_id, input, expected, results: plain };
}
