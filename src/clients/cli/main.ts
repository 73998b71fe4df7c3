import { version } from '../../../package.json';

const args = process.argv.slice(2);

// Nothing else is loaded for it: scripts ask it often, to see whether mcs is there.
if (args.length === 1 && args[0] === '--version') process.stdout.write(`${version}\n`);
else void start();

async function start(): Promise<void> {
  const [{ thisMachine }, { run }] = await Promise.all([import('./environment.js'), import('./program.js')]);
  // Set and not called: what is still on its way to a pipe is written before the process ends.
  process.exitCode = await run(args, thisMachine());
}
