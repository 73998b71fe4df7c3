/** The value of a JSON text, or the SyntaxError for other text. */
export function parsedJson(
  text: string,
  reviver?: (this: unknown, name: string, value: unknown, context?: { source?: string }) => unknown,
): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch (error) {
    return error;
  }
}
