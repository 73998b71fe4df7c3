import { thisMachine } from './environment';
import { run } from './program';

// Set and not called: what is still on its way to a pipe is written before the process ends.
void run(process.argv.slice(2), thisMachine()).then((code) => { process.exitCode = code; });
