import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { EvalDto } from '../../analysis/eval.dto';
import { RunResultDto } from '../../evals/result.dto';
import { ApiOneOf } from '../../../platform/http/api-one-of.decorator';
import { ErrorDto } from '../../../platform/http/error.dto';
import { AllModelsFailedDto } from '../all-models-failed.dto';

class EventFieldsDto {
  @ApiProperty({ description: 'Number of the event in its stream, from 1.', example: '1' })
  id!: string;
}

@ApiSchema({ name: 'EvalStarted', description: 'Which eval a stream is about.' })
class EvalStartedDto {
  @ApiProperty({ description: 'ID that the eval will have once it is stored.' })
  eval_id!: string;

  @ApiProperty({ type: [String], description: 'Model IDs in request order.' })
  models!: string[];

  @ApiPropertyOptional({ type: 'integer', description: 'How often each model is called; only when more than once.' })
  samples?: number;
}

@ApiSchema({ name: 'Delta', description: 'More text of a model.' })
class DeltaDto {
  @ApiProperty({ description: 'Model ID.' })
  model!: string;

  @ApiPropertyOptional({ type: 'integer', description: 'Number of the sample, from 0; only where there are several.' })
  sample?: number;

  @ApiProperty({ description: 'Text to append to what the model has written so far, in this sample.' })
  text!: string;
}

@ApiSchema({
  name: 'EvalStartedEvent',
  description: 'The first event: all models are being called, and with samples again once all have ended.',
})
class EvalStartedEventDto extends EventFieldsDto {
  @ApiProperty({ enum: ['eval-started'], description: 'Name of the event.' })
  event!: 'eval-started';

  @ApiProperty({ type: EvalStartedDto, description: 'The eval.' })
  data!: EvalStartedDto;
}

@ApiSchema({ name: 'DeltaEvent', description: 'A model has written more text.' })
class DeltaEventDto extends EventFieldsDto {
  @ApiProperty({ enum: ['delta'], description: 'Name of the event.' })
  event!: 'delta';

  @ApiProperty({ type: DeltaDto, description: 'The text.' })
  data!: DeltaDto;
}

@ApiSchema({ name: 'ResultEvent', description: 'A model has finished or failed.' })
class ResultEventDto extends EventFieldsDto {
  @ApiProperty({ enum: ['result'], description: 'Name of the event.' })
  event!: 'result';

  @ApiProperty({ type: RunResultDto, description: 'Its result.' })
  data!: RunResultDto;
}

@ApiSchema({ name: 'EvalEvent', description: 'The last event of a successful run: the eval is stored.' })
class EvalEventDto extends EventFieldsDto {
  @ApiProperty({ enum: ['eval'], description: 'Name of the event.' })
  event!: 'eval';

  @ApiProperty({ type: EvalDto, description: 'The eval.' })
  data!: EvalDto;
}

@ApiSchema({
  name: 'ErrorEvent',
  description: 'The last event of a failed run. A failure before the first event is an ordinary error response.',
})
@ApiExtraModels(ErrorDto, AllModelsFailedDto)
class ErrorEventDto extends EventFieldsDto {
  @ApiProperty({ enum: ['error'], description: 'Name of the event.' })
  event!: 'error';

  @ApiProperty({
    anyOf: [{ $ref: getSchemaPath(AllModelsFailedDto) }, { $ref: getSchemaPath(ErrorDto) }],
    description: 'The error body.',
  })
  data!: AllModelsFailedDto | ErrorDto;
}

/** The events of POST /compare with `Accept: text/event-stream`. */
@ApiOneOf({
  name: 'CompareEvent',
  description:
    'An event of POST /compare with `Accept: text/event-stream`: its `id`, its name as `event`, and its `data`, which is sent as one line of JSON.',
  by: 'event',
  members: {
    'eval-started': EvalStartedEventDto,
    delta: DeltaEventDto,
    result: ResultEventDto,
    eval: EvalEventDto,
    error: ErrorEventDto,
  },
})
export class CompareEventDto {}
