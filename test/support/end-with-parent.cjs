// Loaded into every service under test: it ends when its standard input does, which the process that started it holds open.
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume().unref();
