import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiAnswers } from '../common/api-answers.decorator';
import { ModelDto, ModelListDto } from './models.dto';
import { ModelsService } from './models.service';

@ApiTags('models')
@Controller('models')
export class ModelsController {
  constructor(private readonly models: ModelsService) {}

  @Get()
  @ApiOperation({ summary: 'List the models that can be called now', description: 'Only models whose vendor is configured are listed, with their prices per one million tokens.' })
  @ApiAnswers(ModelListDto)
  list(): ModelListDto {
    return { models: this.models.list().map((priced) => ModelDto.from(priced)) };
  }
}
