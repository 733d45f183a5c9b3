import type { KafkaAccess } from './driver.ts';
import type { KafkaLogin } from './kafka-login.ts';
import { openTokens } from './kafka-token.ts';

/** `KafkaAccess` in the form that both of our Kafka clients take. */
export interface KafkaCredentials {
  sasl?: KafkaLogin | undefined;
  ssl?: KafkaAccess['ssl'];
}

/**
 * With OAUTHBEARER all connections share one token, which is fetched here. Rejects with LoginRefused, or with the reason why there is no
 * token.
 */
export async function resolveKafkaAccess({ sasl, ssl }: KafkaAccess): Promise<KafkaCredentials> {
  if (sasl?.mechanism !== 'oauthbearer') return { sasl, ssl };
  const { mechanism, username } = sasl;
  const token = openTokens(sasl);
  await token();
  return { sasl: { mechanism, username, oauthBearerProvider: async () => ({ value: await token() }) }, ssl };
}
