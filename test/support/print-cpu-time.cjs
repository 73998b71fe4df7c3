// node --require: at its end the process writes the microseconds of processor time that it took to the file
// CPU_TIME_FILE.
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeFileSync(process.env.CPU_TIME_FILE, String(user + system));
});
