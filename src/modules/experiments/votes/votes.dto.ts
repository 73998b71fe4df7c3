import { Choice, DateTime, Integer, Part, Schema, Text, Texts } from '../../../platform/http/answer.decorators';
import { choice, text, wholeNumber } from '../../../platform/http/validation/field-kinds';
import { digits, Field, QueryField } from '../../../platform/http/validation/field.decorators';
import { WINNERS, type Winner, JUDGE_KINDS, type JudgeKind } from '../judge/judge-spec';

/** The longest name of a person who votes through a link. */
export const MAX_VOTER_CHARACTERS = 60;
const MAX_SKIPPED = 1000;

/** Query of GET /experiments/{id}/ballot. */
export class BallotQuery {
  @QueryField(wholeNumber(0, MAX_SKIPPED), 'The number of next items to leave out for now.', {
    read: digits,
    default: 0,
  })
  skip?: number;
}

@Schema('A vote on what a ballot shows.')
export class VoteRequest {
  @Field(text(2000), 'The ballot from GET …/ballot.')
  ballot!: string;

  @Field(
    choice(WINNERS, 'Winner'),
    'Of two answers: the better one, `tie`, or `none` where neither is good. Of one answer: whether it is good enough.',
  )
  winner!: Winner;
}

@Schema('A vote of somebody with a link.')
export class SharedVoteRequest extends VoteRequest {
  @Field(text(MAX_VOTER_CHARACTERS), 'The name under which the vote counts.', { example: 'Ada' })
  voter!: string;
}

@Schema('How far the votes of a person have come.', 'BallotProgress')
export class BallotProgressDto {
  @Integer('Items on which this person voted.', { example: 12 })
  voted!: number;

  @Integer('All items.', { example: 600 })
  items!: number;
}

@Schema('What to vote on next.')
export class BallotDto {
  @Text('To be sent with the vote, within an hour; null where nothing is left to vote on.', { nullable: true })
  ballot!: string | null;

  @Choice(JUDGE_KINDS, '`pairwise` shows two answers, `rubric` one.', { enumName: 'JudgeKind' })
  kind!: JudgeKind;

  @Text('The criterion of the judges.')
  criterion!: string;

  @Text('The question.', { nullable: true })
  input!: string | null;

  @Text('The reference answer; null if the row has none.', { nullable: true })
  expected!: string | null;

  @Texts('The answers without names, in an order that was drawn.')
  answers!: string[];

  @Part(BallotProgressDto, 'How far this person has come.')
  progress!: BallotProgressDto;
}

@Schema('A vote that counts.')
export class VoteDto {
  @Choice(WINNERS, 'The vote.', { enumName: 'Winner' })
  winner!: Winner;

  @DateTime('When it was given (UTC). A later vote on the same item takes its place.')
  voted_at!: string;
}
