import { Money } from '../../../common/money';
import type { CompareCommand } from '../../execution/compare.types';
import type { FilledPrompt } from '../../execution/prompt';
import { likelyCost, quotesFor } from '../../execution/quote';
import type { PricedModel } from '../../models/models.service';
import type { RowTexts } from '../experiment.types';
import { filledText } from '../row-command';
import type { RubricCheck } from '../experiment.entity';
import { JUDGE_SETTINGS, judgePrompt, markOf, MAX_JUDGED_CHARACTERS, questionOf } from './judge-prompt';
import { EXAM_ROWS } from './judge-spec';

/** No answer that is judged has more bytes. */
const LONGEST_ANSWER = '字'.repeat(MAX_JUDGED_CHARACTERS + 1);
/** The tokens of a judge's prompt beside its material. */
const INSTRUCTION_TOKENS = 250;

/** Estimates the cost of a rubric's judge before there are answers. */
export class JudgingEstimate {
  /** The most that judging the rows so far can cost, in USD. */
  most = Money.zero;
  private dearest = Money.zero;

  constructor(
    private readonly judge: PricedModel,
    private readonly rubric: RubricCheck,
    private readonly command: CompareCommand,
  ) {}

  /**
   * Adds a row. `inputTokens` are those of its question; answers are likely half as long as allowed. @returns the likely
   * cost in USD
   */
  add(question: FilledPrompt, row: Pick<RowTexts, 'input' | 'expected' | 'variables'>, inputTokens: number): Money {
    const { scale = 'pass_fail' } = this.rubric;
    const { expected } = row;
    const criterion = filledText(this.rubric.criterion, row);
    const { models, options } = this.command;
    const asked = questionOf(options.extra?.system, question);
    const texts = { mark: markOf('', 0), criterion, question: asked, expected, answers: [LONGEST_ANSWER] };
    const prompt = judgePrompt(texts, { scale });
    const answers = String(models.length);
    return Money.sum(
      quotesFor([this.judge], { text: prompt, warnings: [] }, JUDGE_SETTINGS).map((quote) => {
        if (quote.maxCost.compare(this.dearest) > 0) this.dearest = quote.maxCost;
        this.most = this.most.plus(quote.maxCost.times(answers));
        return likelyCost(quote, inputTokens + INSTRUCTION_TOKENS + Math.ceil(options.maxTokens / 2)).times(answers);
      }),
    );
  }

  /** The most that its examination can cost, in USD. */
  get examination(): Money {
    return this.dearest.times(String(EXAM_ROWS));
  }
}
