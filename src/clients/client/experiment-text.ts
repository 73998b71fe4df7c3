/** The place of a model in a ranking, as on the page and in `mcs`: "1", or "1 to 3". */
export function rankText({ best, worst }: { best: number; worst: number }): string {
  return best === worst ? String(best) : `${best} to ${worst}`;
}
