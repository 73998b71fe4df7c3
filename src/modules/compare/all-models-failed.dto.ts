import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ResultErrorDto } from '../evals/result.dto';

@ApiSchema({ name: 'FailedModel', description: 'A model of a compare in which all models failed.' })
class FailedModelDto {
  @ApiProperty({ description: 'Model ID.', example: 'sim-swift' })
  model!: string;

  @ApiProperty({ type: ResultErrorDto, description: 'Why it failed.' })
  error!: ResultErrorDto;
}

@ApiSchema({ name: 'AllModelsFailedDetails', description: 'Why each model failed.' })
class AllModelsFailedDetailsDto {
  @ApiProperty({ type: [FailedModelDto], description: 'One per model, in request order; with samples, of the first.' })
  models!: FailedModelDto[];
}

@ApiSchema({ name: 'AllModelsFailedDetail', description: 'All models failed.' })
class AllModelsFailedDetailDto {
  @ApiProperty({ enum: ['all_models_failed'], description: 'Stable code for programs.' })
  code!: 'all_models_failed';

  @ApiProperty({ description: 'Message for people; the wording may change.' })
  message!: string;

  @ApiProperty({ type: AllModelsFailedDetailsDto, description: 'The error of each model.' })
  details!: AllModelsFailedDetailsDto;

  @ApiProperty({ description: 'Also in the X-Request-Id header; include it when you report a problem.' })
  request_id!: string;
}

/** The error body when all models failed. */
@ApiSchema({
  name: 'AllModelsFailedResponse',
  description: 'Body of the error response when all models failed: nothing was stored or charged.',
})
export class AllModelsFailedDto {
  @ApiProperty({ type: AllModelsFailedDetailDto, description: 'What went wrong.' })
  error!: AllModelsFailedDetailDto;
}
