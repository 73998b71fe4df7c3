/**
 * Serializes one server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html); the data is one
 * line of JSON.
 */
export function frame(id: number, event: string, data: unknown): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * Serializes `delta` events of one model, or of one of its samples, by far the most frequent ones: only the text is
 * serialized each time.
 */
export function deltaFrames(model: string, sample?: number): (id: number, text: string) => string {
  const beforeText = `\nevent: delta\ndata: {"model":${JSON.stringify(model)},${sample === undefined ? '' : `"sample":${sample},`}"text":`;
  return (id, text) => `id: ${id}${beforeText}${JSON.stringify(text)}}\n\n`;
}

/** A comment, which readers ignore; it keeps proxies from closing an idle connection. */
export const HEARTBEAT = ': still running\n\n';
