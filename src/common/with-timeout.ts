/** What is waited for, unless it takes longer than that many milliseconds. @throws Error then, or whatever it fails with */
export async function withTimeout<T>(timeoutMs: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Error(`No answer within ${timeoutMs} ms.`));
    // One more look at the sockets first: when this process was the slow one, the answer is waiting there.
    timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
