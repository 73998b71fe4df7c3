// Loaded into a service before itself: from one SIGUSR2 to the next, every turn of its event loop takes at least 150
// ms, without using the processor.
const TURN_MS = 150;
const nothing = new Int32Array(new SharedArrayBuffer(4));
let isSlow = false;

function slowTurn() {
  if (!isSlow) return;
  Atomics.wait(nothing, 0, 0, TURN_MS);
  setImmediate(slowTurn);
}

process.on('SIGUSR2', () => {
  isSlow = !isSlow;
  slowTurn();
});
