/** A frame of a stream without a name. */
export function data(value: object): string {
  return `data: ${JSON.stringify(value)}`;
}

/** A frame of a stream of named events, whose name stands in it, too. */
export function event(type: string, more: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}`;
}
