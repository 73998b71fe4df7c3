/**
 * Resolves as `promise` does, unless it takes longer than `timeoutMs` milliseconds. @throws Error on timeout, or the
 * error of `promise`
 */
export async function withTimeout<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`No response within ${timeoutMs} ms.`));
    // Poll the sockets once more first: if this process was the slow one, the response is already there.
    timer = setTimeout(() => setImmediate(fail), timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
