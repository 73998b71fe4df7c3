// Preloaded into a service under test: writes the files of all modules that it has loaded to $LOADED_MODULES_FILE when it exits.
const { writeFileSync } = require('node:fs');
const { LOADED_MODULES_FILE } = process.env;

process.on('exit', () => writeFileSync(LOADED_MODULES_FILE, Object.keys(require.cache).join('\n')));
