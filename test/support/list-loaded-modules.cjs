// Preloaded into a service under test: writes the files of all modules that it has loaded, in their order, to
// $LOADED_MODULES_FILE when it exits.
const { writeFileSync } = require('node:fs');
const { registerHooks } = require('node:module');
const { fileURLToPath } = require('node:url');
const { LOADED_MODULES_FILE } = process.env;
const files = new Set();

registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) files.add(fileURLToPath(url));
    return nextLoad(url, context);
  },
});
process.on('exit', () => writeFileSync(LOADED_MODULES_FILE, [...files].join('\n')));
