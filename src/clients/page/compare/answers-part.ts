import { lazyPart } from '../parts/lazy-part';

/** Loads the code of the answers; their styles are in the first sheet. */
export const loadAnswers = () => import('./answers');

/** The answers of a run; their code is loaded while the prompt is written. */
export const LazyAnswers = lazyPart(async () => (await loadAnswers()).Answers);
