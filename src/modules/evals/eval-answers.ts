import type { Eval } from './eval.entity';
import type { Result } from './result.entity';

/** An eval as the rows of an experiment show it. */
export interface EvalAnswers extends Pick<Eval, 'id' | 'input' | 'models' | 'checks'> {
  results: Pick<Result, 'position' | 'output' | 'latencyMs' | 'cost' | 'error' | 'checks'>[];
}

/** The length of an answer in characters. */
export interface AnswerLength {
  evalId: string;
  model: string;
  length: number;
}
