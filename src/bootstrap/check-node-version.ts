/** The oldest Node the service runs on, as package.json's `engines` says. */
const MIN_VERSION: readonly [major: number, minor: number] = [24, 9];

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// The first import of every program: older versions fail at loading the packages, with an incomprehensible message.
if (major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1])) {
  process.stderr.write(
    `This needs Node ${MIN_VERSION.join('.')} or newer and runs on ${process.versions.node}. Node 24 comes with the packages: run "npm rebuild node", ` +
      'or allow the install script of the package "node", or install Node 24 yourself.\n',
  );
  process.exit(1);
}
