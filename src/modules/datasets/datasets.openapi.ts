import { applyDecorators } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
  ApiSchema,
  getSchemaPath,
} from '@nestjs/swagger';
import { CheckDto } from '../checks/check.dto';
import { MAX_TURNS } from '../../common/turn';
import { TurnDto } from '../evals/turns.field';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { STREAMED_TYPES } from '../../platform/http/streamed-body';
import { CreatedDatasetDto } from './datasets.dto';

/** A row of a body, for the API document. */
@ApiSchema({
  name: 'NewDatasetRow',
  description: 'A row of a new data set, at most 256 KiB. An empty text counts as absent.',
})
class NewDatasetRowDto {
  @ApiPropertyOptional({ maxLength: 128_000, description: 'Input of the prompt; required without `variables`.' })
  input?: string;

  @ApiPropertyOptional({
    pattern: '^[\\x21-\\x7e]{1,100}$',
    description:
      'Unique id; by default 16 hexadecimal digits made of the input and the variables, with `-2`, `-3` … for repeated ones.',
  })
  id?: string;

  @ApiPropertyOptional({ maxLength: 32_000, description: 'Reference answer, which replaces {expected} in checks.' })
  expected?: string;

  @ApiPropertyOptional({
    maxLength: 100,
    description: 'Rows of one group are not independent of each other, as questions on one document.',
  })
  group?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    maxProperties: 20,
    description: 'Texts that replace their names in braces. Names have 1 to 40 letters, digits and `_`.',
  })
  variables?: Record<string, string>;

  @ApiPropertyOptional({
    type: [TurnDto],
    minItems: 1,
    maxItems: MAX_TURNS,
    description: 'Turns between those of the options and the prompt; nothing is replaced in them.',
  })
  history?: TurnDto[];

  @ApiPropertyOptional({
    type: [CheckDto],
    maxItems: 20,
    description: 'Checks of this row alone, beside those of the experiment.',
  })
  checks?: unknown[];
}

@ApiSchema({ name: 'NewDataset', description: 'The rows of a new data set.' })
class NewDatasetDto {
  @ApiProperty({ type: [NewDatasetRowDto], description: 'At most 10,000 rows; the operator may allow up to 100,000.' })
  rows!: NewDatasetRowDto[];
}

const ROWS = [
  { input: '2 + 2', expected: '4' },
  { input: 'capital of France', expected: 'Paris' },
];
const CSV = 'input,expected,topic\r\n2 + 2,4,numbers\r\ncapital of France,Paris,geography\r\n';

/** Documents POST /datasets. */
export function ApiCreateDataset(): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(NewDatasetDto),
    ApiOperation({
      summary: 'Create a data set',
      description:
        'Stores all rows of the body, or none: `details.faults` of a 400 has up to 20 lines and their problems. NDJSON has one row a line, each with the members of `NewDatasetRow`. CSV has a header line, and columns `checks` and `history` hold JSON. Other texts, numbers and booleans are variables; `notes` says what was renamed, left out or taken for the input. A body may have up to 64 MiB (by default). The same name and content again answers the existing data set.',
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: getSchemaPath(NewDatasetDto) },
            examples: {
              'Two rows': { value: { rows: ROWS } },
              'Rows with variables and a check': {
                value: {
                  rows: [
                    {
                      variables: { city: 'Paris' },
                      expected: 'France',
                      checks: [{ type: 'contains', values: ['{expected}'] }],
                    },
                  ],
                },
              },
            },
          },
          [STREAMED_TYPES.ndjson]: {
            schema: { type: 'string', description: 'One JSON object a line.' },
            example: ROWS.map((row) => JSON.stringify(row)).join('\n'),
          },
          [STREAMED_TYPES.csv]: {
            schema: { type: 'string', description: 'RFC 4180, with a header line.' },
            example: CSV,
          },
        },
      },
    }),
    ApiResponses(CreatedDatasetDto, {
      status: 201,
      errors: ['invalid_request', 'invalid_json', 'insufficient_scope', 'conflict', 'overloaded'],
    }),
    ApiResponse({
      status: 200,
      description: 'The data set with this name and content that existed already.',
      content: { 'application/json': { schema: { $ref: getSchemaPath(CreatedDatasetDto) } } },
    }),
  );
}
