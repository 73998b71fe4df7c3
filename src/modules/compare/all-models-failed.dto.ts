import { ResultErrorDto } from '../evals/result.dto';
import { Choice, ModelId, Part, Parts, Schema, Text } from '../../platform/http/answer.decorators';

@Schema('A model of a compare in which all models failed.')
class FailedModelDto {
  @ModelId()
  model!: string;

  @Part(ResultErrorDto, 'Why it failed.')
  error!: ResultErrorDto;
}

@Schema('Why each model failed.')
class AllModelsFailedDetailsDto {
  @Parts(FailedModelDto, 'One per model, in request order; with samples, of the first.')
  models!: FailedModelDto[];
}

@Schema('All models failed.')
class AllModelsFailedDetailDto {
  @Choice(['all_models_failed'], 'Stable code for programs.')
  code!: 'all_models_failed';

  @Text('Message for people; the wording may change.')
  message!: string;

  @Part(AllModelsFailedDetailsDto, 'The error of each model.')
  details!: AllModelsFailedDetailsDto;

  @Text('Also in the X-Request-Id header; include it when you report a problem.')
  request_id!: string;
}

@Schema('Body of the error response when all models failed: nothing was stored or charged.', 'AllModelsFailedResponse')
export class AllModelsFailedDto {
  @Part(AllModelsFailedDetailDto, 'What went wrong.')
  error!: AllModelsFailedDetailDto;
}
