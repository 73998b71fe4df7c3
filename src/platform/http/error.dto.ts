import { ApiPropertyOptional } from '@nestjs/swagger';
import { ERRORS } from '../../common/errors';
import { Choice, Facts, Part, Schema, Text } from './answer.decorators';

/** The error, as in every error body. */
@Schema('What went wrong.')
export class ErrorDetailDto {
  @Choice(Object.keys(ERRORS), 'Stable code for programs.', { enumName: 'ErrorCode' })
  code!: string;

  @Text('Message for people; the wording may change.', { example: 'models[1] is unknown.' })
  message!: string;

  @Text('The field at fault.', { optional: true, example: 'models[1]' })
  param?: string;

  @Facts('Structured details; the members depend on the code.', { optional: true })
  details?: unknown;

  @Text('Also in the X-Request-Id header; include it when you report a problem.', {
    example: 'req_01k9z3t5v7x9b1d3f5h7k9m1n3',
  })
  request_id!: string;

  @ApiPropertyOptional({
    description: 'The trace of the request, where the service sends traces to its operator; include it too.',
    pattern: '^[0-9a-f]{32}$',
    example: '4bf92f3577b34da6a3ce929d0e0e4736',
  })
  trace_id?: string;
}

@Schema('Body of every error response.', 'ErrorResponse')
export class ErrorDto {
  @Part(ErrorDetailDto, 'What went wrong.')
  error!: ErrorDetailDto;
}
