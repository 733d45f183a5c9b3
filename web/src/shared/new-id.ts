/** A name that nothing else on the page has. `crypto.randomUUID` is missing where a page comes over plain http from another machine. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
