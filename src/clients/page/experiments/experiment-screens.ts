// The list and the screen of an experiment are one chunk; the form of a new one is another.
export { ExperimentListScreen } from './experiment-list-screen';
export { ExperimentScreen } from './experiment-screen';
