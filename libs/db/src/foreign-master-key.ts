import { Channel } from './channel.ts';
import { sealingKeyIds, unseal } from './sealed.ts';
import { Token } from './token.ts';

/** Rows checked of each kind: a few damaged rows do not prove a wrong key. */
const rowsLookedAt = 20;

/**
 * Throws when no configured master key opens any stored secret. Otherwise the process would find no usable channel and seal new secrets
 * under a key that matches none of the old ones.
 */
export async function refuseForeignMasterKey(): Promise<void> {
  const [channels, tokens] = await Promise.all([
    Channel.find().select('id +keySealed').limit(rowsLookedAt).lean(),
    Token.find().select('id +keySealed').limit(rowsLookedAt).lean(),
  ]);
  const sealed = [
    ...channels.map(({ id, keySealed }) => ({ text: keySealed, place: `channel:${id}:key` })),
    ...tokens.map(({ id, keySealed }) => ({ text: keySealed, place: `token:${id}:key` })),
  ];
  if (sealed.length === 0 || sealed.some(opens)) return;
  throw new Error(
    `MASTER_KEY (${sealingKeyIds().join(', ')}) opens nothing of what is stored: it was sealed with another one. Give that one as MASTER_KEY, or in MASTER_KEYS_ALSO. Nothing was changed.`,
  );
}

function opens({ text, place }: { text: string; place: string }): boolean {
  try {
    unseal(text, place);
    return true;
  } catch {
    return false;
  }
}
