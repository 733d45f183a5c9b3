/** What servers of MongoDB's protocol answer when a unique index refuses a write. */
export const duplicateKey = 11_000;

/**
 * A unique index refused the write; with `field`, the one that begins with that field. Not every server says `keyPattern`: the name
 * of the index, which all say in the message, tells as well.
 */
export function isDuplicate(error: unknown, field?: string): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== duplicateKey) return false;
  if (field === undefined) return true;
  if ('keyPattern' in error && error.keyPattern) return Object.hasOwn(error.keyPattern, field);
  const index = /\bindex: (\S+)/.exec(error.message.slice(0, 1_000))?.[1]?.split('$').at(-1);
  return index === field || index?.startsWith(`${field}_`) === true;
}
