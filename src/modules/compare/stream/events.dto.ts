import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { EvalDto } from '../../analysis/eval.dto';
import { RunResultDto } from '../../evals/result.dto';
import { ApiOneOf, Choice, Integer, Part, Schema, Text, Texts } from '../../../platform/http/answer.decorators';
import { ErrorDto } from '../../../platform/http/error.dto';
import { AllModelsFailedDto } from '../all-models-failed.dto';

class EventFieldsDto {
  @Text('Number of the event in its stream, from 1.', { example: '1' })
  id!: string;
}

@Schema('Which eval a stream is about.')
class EvalStartedDto {
  @Text('ID that the eval will have once it is stored.')
  eval_id!: string;

  @Texts('Model IDs in request order.')
  models!: string[];

  @Integer('How often each model is called; only when more than once.', { optional: true })
  samples?: number;
}

@Schema('More text of a model.')
class DeltaDto {
  @Text('Model ID.')
  model!: string;

  @Integer('Number of the sample, from 0; only where there are several.', { optional: true })
  sample?: number;

  @Text('Text to append to what the model has written so far, in this sample.')
  text!: string;
}

@Schema('The first event: all models are being called, and with samples again once all have ended.')
class EvalStartedEventDto extends EventFieldsDto {
  @Choice(['eval-started'], 'Name of the event.')
  event!: 'eval-started';

  @Part(EvalStartedDto, 'The eval.')
  data!: EvalStartedDto;
}

@Schema('A model has written more text.')
class DeltaEventDto extends EventFieldsDto {
  @Choice(['delta'], 'Name of the event.')
  event!: 'delta';

  @Part(DeltaDto, 'The text.')
  data!: DeltaDto;
}

@Schema('A model has finished or failed.')
class ResultEventDto extends EventFieldsDto {
  @Choice(['result'], 'Name of the event.')
  event!: 'result';

  @Part(RunResultDto, 'Its result.')
  data!: RunResultDto;
}

@Schema('The last event of a successful run: the eval is stored.')
class EvalEventDto extends EventFieldsDto {
  @Choice(['eval'], 'Name of the event.')
  event!: 'eval';

  @Part(EvalDto, 'The eval.')
  data!: EvalDto;
}

@Schema('The last event of a failed run. A failure before the first event is an ordinary error response.')
@ApiExtraModels(ErrorDto, AllModelsFailedDto)
class ErrorEventDto extends EventFieldsDto {
  @Choice(['error'], 'Name of the event.')
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
