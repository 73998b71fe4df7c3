/** How many requests a limit has let through; each of the others must have been refused with 429. */
export function admittedOf(answers: readonly { status: number }[]): number {
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 200).length;
}
