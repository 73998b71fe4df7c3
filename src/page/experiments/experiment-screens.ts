// The screens of experiments are one chunk, loaded on their addresses only.
export { ExperimentListScreen } from './experiment-list-screen';
export { ExperimentScreen } from './experiment-screen';
export { NewExperimentScreen } from './new-experiment-screen';
