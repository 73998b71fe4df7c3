import type { Interval } from '../../statistics/intervals';
import {
  Choice,
  ConfidenceInterval,
  Decimal,
  DecimalOrNull,
  Flag,
  Integer,
  ModelId,
  Part,
  Parts,
  Schema,
  Text,
  Texts,
} from '../../../platform/http/answer.decorators';
import { EXPERIMENT_STATES, type ExperimentState } from '../experiment-states';
import { JUDGE_KINDS, type JudgeKind } from './judge-spec';

const ci = (of: string, example: Interval) =>
  ConfidenceInterval(`Interval of 95 % of ${of}; null where it is not known.`, example);

@Schema('A share with its interval.', 'JudgeShare')
export class ShareOfVerdictsDto {
  @Decimal('The share.', { example: 0.94 })
  rate!: number;

  @ci('the share', [0.9, 0.97])
  ci!: Interval | null;
}

@Schema('A model and its rate.', 'JudgedRate')
export class JudgedRateDto extends ShareOfVerdictsDto {
  @ModelId()
  model!: string;
}

@Schema('A difference with its interval.', 'JudgeDifference')
export class JudgeDifferenceDto {
  @Decimal('The difference.', { example: 0.04 })
  difference!: number;

  @ci('the difference', [-0.01, 0.09])
  ci!: Interval | null;
}

@Schema("How a judge agrees with people's votes that were drawn at random.", 'JudgeAgreementWithPeople')
export class AgreementWithPeopleDto {
  @DecimalOrNull("Cohen's kappa: 0 is chance, 1 is full agreement; null where chance alone agrees.", 0.71)
  kappa!: number | null;

  @Decimal('Share of the items on which both say the same.', { example: 0.86 })
  accuracy!: number;

  @ci('the accuracy', [0.78, 0.92])
  ci!: Interval | null;

  @Integer('Items with a vote and a verdict.', { example: 100 })
  labels!: number;
}

@Schema('How far the verdicts of a judge agree with those of others.', 'JudgeAgreement')
export class JudgeAgreementDto {
  @DecimalOrNull("Mean of Cohen's kappa with each other judge; null for a single judge.", 0.8)
  with_judges!: number | null;

  @Part(AgreementWithPeopleDto, 'null without votes.', { nullable: true })
  with_people!: AgreementWithPeopleDto | null;
}

@Schema('What the examination of a judge found.', 'JudgeExamination')
export class JudgeExaminationDto {
  @ModelId()
  model!: string;

  @Integer('Verdicts that could be read.', { example: 1800 })
  verdicts!: number;

  @Integer('Answers without a readable verdict. They are missing, not failures.', { example: 0 })
  unreadable!: number;

  @Part(ShareOfVerdictsDto, 'Of pairs: the share on which both orders agree.', { nullable: true })
  order_consistency!: ShareOfVerdictsDto | null;

  @Integer('Pairs in which the orders contradict each other; each counts as a tie.', { example: 12 })
  flipped!: number;

  @Part(ShareOfVerdictsDto, 'Of pairs: the share of single verdicts, ties left out, for answer 1.', { nullable: true })
  first_won!: ShareOfVerdictsDto | null;

  @Flag('Whether the interval of `first_won` excludes 0.5, and the share is at least 0.05 away from it.')
  position_biased!: boolean;

  @Part(ShareOfVerdictsDto, 'Where it prefers one of two answers: the share in which that is the longer one.', {
    nullable: true,
  })
  longer_won!: ShareOfVerdictsDto | null;

  @Integer('Decoys that were judged, at most 5.', { example: 5 })
  decoys!: number;

  @Integer('Decoys that it did not reject.', { example: 0 })
  decoys_passed!: number;

  @Flag('Whether it passed a decoy.')
  gullible!: boolean;

  @Integer('Answers that were judged against themselves, at most 3.', { example: 3 })
  self_pairs!: number;

  @Integer('Of these, the ones that it called equal.', { example: 3 })
  self_ties!: number;

  @Texts('The judged models of its own vendor.', { example: [] })
  own_vendor!: string[];

  @Part(JudgeDifferenceDto, 'How much better it rates models of its vendor than judges of other vendors do.', {
    nullable: true,
  })
  own_vendor_advantage!: JudgeDifferenceDto | null;

  @Part(JudgeAgreementDto, 'Agreement with other judges and with people.')
  agreement!: JudgeAgreementDto;

  @Parts(JudgedRateDto, 'The rates by this judge alone.')
  rates!: JudgedRateDto[];
}

@Schema('A rate by all verdicts, corrected by the votes of people.', 'CorrectedRate')
export class CorrectedRateDto extends ShareOfVerdictsDto {
  @Texts('The model; of pairs the two models, and the rate is that of the first.', { minItems: 1, maxItems: 2 })
  models!: string[];

  @Integer('Items with a vote that was drawn at random, at least 20.', { example: 40 })
  labels!: number;

  @Integer('The number of votes that alone would give an interval as narrow.', { example: 83 })
  as_if_labels!: number;
}

@Schema('How far two people agree on the same item.', 'VotersAgreement')
export class VotersAgreementDto {
  @DecimalOrNull("Cohen's kappa; null where no two people voted on an item, or chance alone agrees.", 0.7)
  kappa!: number | null;

  @Integer('Items on which two people voted.', { example: 12 })
  voted_twice!: number;
}

@Schema('The votes of people.', 'ExperimentPeople')
export class PeopleDto {
  @Integer('Votes.', { example: 100 })
  votes!: number;

  @Integer('People who voted. Below 3 they are not a panel.', { example: 3 })
  voters!: number;

  @Parts(JudgedRateDto, 'The rates by votes alone, best first; of pairs the expected win rates.')
  ranking!: JudgedRateDto[];

  @Part(VotersAgreementDto, 'How far people agree.')
  agreement!: VotersAgreementDto;

  @Parts(CorrectedRateDto, 'From 20 votes on that were drawn at random.')
  corrected!: CorrectedRateDto[];
}

@Schema('What the judges of an experiment are worth.', 'ExperimentJudgment')
export class JudgmentDto {
  @Text('The experiment whose answers were judged.')
  of!: string;

  @Choice(JUDGE_KINDS, '`rubric` or `pairwise`.', { enumName: 'JudgeKind' })
  kind!: JudgeKind;

  @Texts('Why the verdicts may mislead, in words, the gravest first.')
  cautions!: string[];

  @Parts(JudgedRateDto, 'Of pairs: the expected win rate against the other models, by Bradley–Terry. Else empty.')
  win_rates!: JudgedRateDto[];

  @Parts(
    JudgedRateDto,
    'Rates without judges that share a vendor with a judged model; null where there are none, or only such.',
    { nullable: true },
  )
  without_own_vendor!: JudgedRateDto[] | null;

  @Parts(JudgeExaminationDto, 'One for each judge.')
  judges!: JudgeExaminationDto[];

  @Part(PeopleDto, 'The votes; null without one.', { nullable: true })
  people!: PeopleDto | null;
}

@Schema('What judges said of the answers of an experiment.', 'JudgedBy')
export class JudgedByDto {
  @Text('The experiment of the judges.')
  experiment_id!: string;

  @Text('Its name.', { nullable: true })
  name!: string | null;

  @Choice(JUDGE_KINDS, '`rubric` or `pairwise`.', { enumName: 'JudgeKind' })
  kind!: JudgeKind;

  @Choice(EXPERIMENT_STATES, 'Its state.')
  state!: ExperimentState;

  @Texts('The judges.')
  models!: string[];

  @Parts(
    JudgedRateDto,
    'The rate of passed answers, the mean mark from 0 to 1, or the share of wins; empty before the end.',
  )
  judged!: JudgedRateDto[];

  @Text('Its headline; null before the end.', { nullable: true })
  headline!: string | null;
}
