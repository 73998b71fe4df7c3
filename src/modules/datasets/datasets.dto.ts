import { ApiProperty } from '@nestjs/swagger';
import { CheckDto } from '../checks/check.dto';
import type { Check } from '../checks/types';
import { TurnDto } from '../evals/turns.field';
import type { Page } from '../../common/page';
import { pattern, text } from '../../platform/http/validation/field-kinds';
import { PageCursor, PageLimit, QueryField } from '../../platform/http/validation/field.decorators';
import type { StoredRow } from './dataset-row.entity';
import type { Dataset } from './dataset.entity';
import type { ColumnOptions } from './columns';
import { DateTime, Integer, LimitApplied, Parts, Schema, Text, Texts } from '../../platform/http/answer.decorators';

const MAX_NAME_CHARACTERS = 100;
const NAME = text(MAX_NAME_CHARACTERS);
const SKIP = text(20 * MAX_NAME_CHARACTERS);
const nameOf = (member: string, usual = '') =>
  `Member or column that holds the ${member} of a row, if it is not called \`${member}\`${usual}.`;

/** Query of POST /datasets. */
export class CreateDatasetQuery {
  @QueryField(NAME, 'Name of the data set, `untitled` by default. Several may have the same.')
  name?: string;

  @QueryField(NAME, nameOf('input', ', and not by exactly one of `question`, `prompt`, `query` and `text`'))
  input?: string;

  @QueryField(
    NAME,
    nameOf(
      'expected',
      ', and not by exactly one of `answer`, `target`, `ideal`, `label`, `output`, `reference` and `ground_truth`',
    ),
  )
  expected?: string;

  @QueryField(NAME, nameOf('group'))
  group?: string;

  @QueryField(NAME, nameOf('id'))
  id?: string;

  @QueryField(SKIP, 'Member or column that is left out; several by commas.')
  skip?: string;

  toColumns(): ColumnOptions {
    const { input, expected, group, id, skip } = this;
    return {
      names: { input, expected, group, id },
      skip: skip === undefined ? [] : skip.split(',').map((name) => name.trim()),
    };
  }
}

/** Query of GET /datasets. */
export class DatasetsQuery {
  @PageLimit('data sets')
  limit: number = 20;

  @PageCursor('ds')
  cursor?: string;
}

/** Query of GET /datasets/:id/rows. */
export class DatasetRowsQuery {
  @PageLimit('rows')
  limit: number = 20;

  @QueryField(
    pattern(/^\d{1,6}$/, 'a cursor from the Link header of an earlier page'),
    'Cursor from the Link header of the previous page.',
  )
  cursor?: string;

  /** The number of the first row of the page. */
  get fromNo(): number {
    return Number(this.cursor ?? 0);
  }
}

@Schema('Rows of inputs for experiments. It never changes: another content is another data set.')
export class DatasetDto {
  @Text('Data set ID.')
  dataset_id!: string;

  @Text('Its name.')
  name!: string;

  @Integer('Number of rows.')
  rows!: number;

  @Integer('Number of different groups.')
  groups!: number;

  @Integer('Size of the rows in their canonical form.')
  bytes!: number;

  @Text('SHA-256 of the rows in their canonical form, in hexadecimal: the same for each format of the body.')
  sha256!: string;

  @Texts('Members that rows have, and names of their variables.')
  columns!: string[];

  @DateTime('Creation time (UTC).')
  created_at!: string;

  static from({ id, name, rowCount, groupCount, bytes, sha256, columns, createdAt }: Dataset): DatasetDto {
    return {
      dataset_id: id,
      name,
      rows: rowCount,
      groups: groupCount,
      bytes: Number(bytes),
      sha256,
      columns,
      created_at: createdAt.toISOString(),
    };
  }
}

@Schema('A new data set, or the existing one of the same name and content.')
export class CreatedDatasetDto extends DatasetDto {
  @Texts(
    'What the service decided on, as sentences: columns that it took for the input or the expected answer, renamed or left out.',
    { maxItems: 20 },
  )
  notes!: string[];
}

@Schema('A page of data sets.')
export class DatasetListDto {
  @Parts(DatasetDto, 'Newest first.')
  datasets!: DatasetDto[];

  @LimitApplied()
  limit!: number;

  static from({ items }: Page<Dataset>, { limit }: DatasetsQuery): DatasetListDto {
    return { datasets: items.map((dataset) => DatasetDto.from(dataset)), limit };
  }
}

@Schema('A row of a data set.')
export class DatasetRowDto {
  @Integer('Position in the order that was drawn once for the content, from 0; experiments take rows in this order.')
  no!: number;

  @Integer('Line of the file on which it begins, or position in `rows`; from 1.')
  line!: number;

  @Text('Its id, unique in the data set; by default made of the input and the variables.')
  id!: string;

  @Text('Input of the prompt; null if it has only variables.', { nullable: true })
  input!: string | null;

  @Text('Reference answer, which replaces {expected} in checks.', { nullable: true })
  expected!: string | null;

  @Text('Rows of one group are not independent of each other, as questions on one document.', { nullable: true })
  group!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    nullable: true,
    description: 'Texts that replace their names in braces.',
  })
  variables!: Record<string, string> | null;

  @Parts(TurnDto, 'Turns of a conversation, after those of the options.', { nullable: true })
  history!: TurnDto[] | null;

  @Parts(CheckDto, 'Checks of this row alone.', { nullable: true })
  checks!: Check[] | null;

  static from({ no, line, rowId, input, expected, group, variables, history, checks }: StoredRow): DatasetRowDto {
    return { no, line, id: rowId, input, expected, group, variables, history, checks };
  }
}

@Schema('A page of rows.')
export class DatasetRowListDto {
  @Parts(DatasetRowDto, 'In the drawn order. A page with more than 4 MB of texts ends early.')
  rows!: DatasetRowDto[];

  @LimitApplied()
  limit!: number;

  static from({ items }: Page<StoredRow>, { limit }: DatasetRowsQuery): DatasetRowListDto {
    return { rows: items.map((row) => DatasetRowDto.from(row)), limit };
  }
}
