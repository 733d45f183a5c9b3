/** Of a longer id its two ends and its length are hashed: nobody's real id is as long. */
const longestHashed = 512;

/** A name for a call's id that a provider does not take: letters and digits, alike in call and result. */
export function hashOfId(id: string): string {
  const text = id.length <= longestHashed ? id : `${id.slice(0, longestHashed / 2)}${id.length}${id.slice(-longestHashed / 2)}`;
  let hash = 0xcbf29ce484222325n; // FNV-1a, 64 bits
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(36).padStart(9, '0');
}
