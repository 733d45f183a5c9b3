import { Agent, type Dispatcher } from 'undici';

/**
 * An agent that refuses what HTTP does not allow before a pool hears of it. The first request of a pool for https is the one by whose connection
 * it learns which version of HTTP is spoken there, while all others wait without a time; when that one is refused no connection is ever made.
 * Throws: TypeError.
 */
export class CarefulAgent extends Agent {
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    refuseUnsendable(options);
    return super.dispatch(options, handler);
  }
}

/** What undici refuses: https://www.rfc-editor.org/rfc/rfc9110#name-field-values, and a path with a blank or beyond a byte. */
const unsendable = { path: /[^\x21-\xff]/, name: /[^!#$%&'*+.^_`|~0-9A-Za-z-]/, value: /[^\t\x20-\x7e\x80-\xff]/ };

function refuseUnsendable({ path, headers }: Dispatcher.DispatchOptions): void {
  if (unsendable.path.test(path)) throw new TypeError('a path that HTTP does not allow');
  if (!headers) return;
  if (Array.isArray(headers)) {
    for (let at = 0; at + 1 < headers.length; at += 2) refuseHeader(headers[at], headers[at + 1]);
  } else if (Symbol.iterator in headers) for (const [name, value] of headers) refuseHeader(name, value);
  else for (const name in headers) refuseHeader(name, headers[name]);
}

function refuseHeader(name: unknown, value: unknown): void {
  if (typeof name === 'string' && (name === '' || unsendable.name.test(name)))
    throw new TypeError('the name of a header that HTTP does not allow');
  for (const each of Array.isArray(value) ? value : [value])
    if (typeof each === 'string' && unsendable.value.test(each)) throw new TypeError('a header that HTTP does not allow');
}
