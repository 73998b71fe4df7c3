/** The oldest Node the service runs on, as package.json's `engines` says. */
const OLDEST: readonly [major: number, minor: number] = [24, 9];

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// The first import of every program: older versions fail at loading the packages, with a message nobody understands.
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  process.stderr.write(
    `This needs Node ${OLDEST.join('.')} or newer and runs on ${process.versions.node}. Node 24 comes with the packages: run "npm rebuild node", `
    + 'or allow the install script of the package "node", or install Node 24 yourself.\n',
  );
  process.exit(1);
}
