// The screens of what was run before are one chunk: apart they weigh a kilobyte more and share most of their parts.
export { EvalScreen } from './eval-screen';
export { HistoryScreen } from './history-screen';
export { UsageScreen } from './usage-screen';
