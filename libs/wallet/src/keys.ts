/** All keys of one user share a hash tag, so that a script finds them on one node of a Redis Cluster. */
export const walletKey = (userId: number) => `{u:${userId}}:wallet`;
export const tokenKey = (userId: number, tokenId: number | string) => `{u:${userId}}:token:${tokenId}`;
export const holdKey = (userId: number, requestId: string) => `{u:${userId}}:hold:${requestId}`;

/** The index of holds is sorted sets beside the users' keys; an entry may lack its hold or a hold, for a moment, its entry. */
export const indexShards = 16;
export const indexKey = (userId: number) => `holds:${userId % indexShards}`;
export const indexKeys = Array.from({ length: indexShards }, (_, shard) => `holds:${shard}`);
export const indexEntry = (userId: number, requestId: string) => `${userId}:${requestId}`;

export function ownerOf(entry: string): { userId: number; requestId: string } {
  const colon = entry.indexOf(':');
  return { userId: Number(entry.slice(0, colon)), requestId: entry.slice(colon + 1) };
}

/**
 * The score of an entry is the time in ms when it is due. Reported holds live in a range of their own, this far above the
 * open ones, so that both can be counted.
 */
export const reportedRange = 1e14;
