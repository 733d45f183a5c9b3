import { Channel, sealedDigest, sealedDigests, unseal } from '@tollgate/db';
import type { Logger } from '@tollgate/runtime';

const purpose = 'channel key';

export function keyDigest(key: string): string {
  return sealedDigest(key, purpose);
}

/** Under each master key that is set. */
export function keyDigests(key: string): string[] {
  return sealedDigests(key, purpose);
}

/** Gives channels from before there were digests theirs. A key that cannot be read is none of this one's business. */
export async function digestOlderKeys(log: Logger): Promise<void> {
  for (const { id, keySealed } of await Channel.find({ keyDigest: null }).select('id +keySealed').lean()) {
    try {
      await Channel.updateOne({ id, keySealed }, { $set: { keyDigest: keyDigest(unseal(keySealed, `channel:${id}:key`)) } });
    } catch (error) {
      log.warn({ err: error, channelId: id }, 'a channel will not be found by its key');
    }
  }
}
