import type { ThirdParty } from '@tollgate/contracts';
import { AppError, type Egress, type ExchangeOptions, parsedJson } from '@tollgate/runtime';
import type { z } from 'zod';

/** Where the account of each provider's id stands in our row of a user. */
export const idFields = {
  github: 'githubId',
  linuxdo: 'linuxDoId',
  wechat: 'wechatId',
  telegram: 'telegramId',
  oidc: 'oidcId',
} as const satisfies Record<ThirdParty, string>;

/** What of an account can be bound and given up: the address, too. */
export const boundFields = { ...idFields, email: 'email' } as const;

/** Names as people know them. */
export const providerNames: Record<ThirdParty, string> = {
  github: 'GitHub',
  linuxdo: 'LinuxDO',
  wechat: 'WeChat',
  telegram: 'Telegram',
  oidc: 'OIDC',
};

/** Who somebody is at a provider. */
export interface Identity {
  provider: ThirdParty;
  /** How people know the provider, where root has named it. */
  label?: string;
  /** One that never changes there, unlike names. */
  id: string;
  /** How they are called there; '' when the provider does not say. */
  name: string;
  /** The group of ours that the provider puts them into. */
  group?: string;
  /** Asked for when an account is made: an address that the provider has verified, or ''. */
  email?(): Promise<string>;
  /** Throws for whoever may sign in, but may not open an account. */
  refuseNew?(): void;
}

/**
 * One question to a provider, and its answer by schema. Throws `provider_unreachable` or `provider_refused`. Nothing of what the
 * provider says is told or logged: it was sent our secret, and could send it back.
 */
export async function askProvider<Answer>(
  egress: Egress,
  address: string,
  { provider, schema, ...options }: Pick<ExchangeOptions, 'method' | 'headers' | 'body'> & { provider: string; schema: z.ZodType<Answer> },
): Promise<Answer> {
  refusePlain(egress, address);
  const answer = await egress.exchange(address, { ...options, timeoutMs: 10_000, maxBytes: 1 << 20 }).catch((cause) => {
    if (cause instanceof AppError && cause.code === 'egress_refused') throw cause;
    throw new AppError('provider_unreachable', { provider }, { cause });
  });
  if (answer.status >= 500) throw new AppError('provider_unreachable', { provider });
  const parsed = schema.safeParse(parsedJson(answer.body.toString('utf8')));
  if (!parsed.success || answer.status >= 300) throw new AppError('provider_refused', { provider });
  return parsed.data;
}

/** What is sent to a sign-in provider could be read on its way over http: only to hosts that the operator named. */
export function refusePlain(egress: Egress, address: string): void {
  const url = egress.check(address);
  if (url.protocol !== 'https:' && !egress.names(url)) throw new AppError('address_needs_https');
}
