/** Shorter strings are names, ids and words, whatever they look like. */
const shortestEncoded = 256;
const encodedStart = /^(?:data:[^\s,]{0,128},|[A-Za-z0-9+/_=-]{64})/;
/** What encoded data weighs: a rough figure for files that cannot be looked into. */
const charactersPerToken = 100;

/**
 * What is to be weighed of JSON that has no form of its own here: its text without base64 and the like, and the tokens that this data
 * weighs by its length. `lengthOf` gives the length of a string, where not all of it stands in the JSON.
 */
export function weighableJson(
  value: unknown,
  lengthOf: (text: string) => number = (text) => text.length,
): { text: string; dataTokens: number } {
  let encoded = 0;
  const text = JSON.stringify(value, (_name, item: unknown) => {
    if (typeof item !== 'string' || !encodedStart.test(item)) return item;
    const length = lengthOf(item);
    if (length < shortestEncoded) return item;
    encoded += length;
    return '';
  });
  return { text: text ?? '', dataTokens: encoded / charactersPerToken };
}
