import type { KafkaAccess } from './driver.ts';
import type { KafkaLogin } from './kafka-login.ts';
import { openTokens } from './kafka-token.ts';

/** The same as `KafkaAccess`, as both of our clients take it. */
export interface EnteredBy {
  sasl?: KafkaLogin | undefined;
  ssl?: KafkaAccess['ssl'];
}

/** Where tokens are the login, all connections share them. The first one is there, or it rejects: with LoginRefused, or with why there is none. */
export async function enterKafka({ sasl, ssl }: KafkaAccess): Promise<EnteredBy> {
  if (sasl?.mechanism !== 'oauthbearer') return { sasl, ssl };
  const { mechanism, username } = sasl;
  const token = openTokens(sasl);
  await token();
  return { sasl: { mechanism, username, oauthBearerProvider: async () => ({ value: await token() }) }, ssl };
}
