import type { CheckFields, CheckType } from '../check-type';

export interface FinishedCheck extends CheckFields {
  type: 'finished';
}

export const FINISHED: CheckType<FinishedCheck> = {
  schema: { name: 'FinishedCheck', description: 'Passes when the model ended by itself and the text is not blank.' },
  fields: {},
  charactersRead: () => 0,
  decide(_, { text, finishReason }) {
    if (!/\S/.test(text)) return { isMet: false, observed: 'It is blank.' };
    if (finishReason === undefined) return { undecided: 'It is not known why this text ended.' };
    const isMet = finishReason === 'stop';
    return {
      isMet,
      observed: isMet
        ? 'It is finished.'
        : finishReason === 'length'
          ? 'It was cut at the maximum of tokens.'
          : 'It ended before it was finished.',
    };
  },
};
