/** Whether a request names this media type in its Accept header; ranges such as all types do not count. */
export function accepts(request: { headers: { accept?: string | undefined } }, type: string): boolean {
  return request.headers.accept?.split(',').some((range) => range.split(';')[0]?.trim().toLowerCase() === type) ?? false;
}
