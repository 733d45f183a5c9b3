import { AppError } from '@tollgate/runtime';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { askProvider, type Identity } from './provider.ts';

/** https://connect.linux.do: OAuth 2 with the client's credentials by HTTP Basic, and one address that says who somebody is. */
const token = z.object({ access_token: z.string().min(1) });
const account = z.object({
  id: z.int().positive(),
  username: z.string().nullish(),
  name: z.string().nullish(),
  active: z.boolean().default(true),
  silenced: z.boolean().default(false),
  trust_level: z.number().default(0),
});
const provider = 'LinuxDO';

export function linuxDoPage({ options }: Context, state: string, redirectUri: string): string {
  const { LinuxDOOAuthEnabled, LinuxDOClientId } = options.values;
  if (!LinuxDOOAuthEnabled) throw new AppError('provider_disabled', { provider });
  const query = new URLSearchParams({ client_id: LinuxDOClientId, response_type: 'code', state, redirect_uri: redirectUri });
  return `${addressOf(options.values)}/oauth2/authorize?${query}`;
}

/** Who the code stands for. New accounts are for members whom the community trusts enough. */
export async function linuxDoIdentity(
  { egressByOrigin: { services: egress }, options }: Context,
  code: string,
  redirectUri: string,
): Promise<Identity> {
  const { LinuxDOOAuthEnabled, LinuxDOClientId, LinuxDOClientSecret, LinuxDOMinimumTrustLevel: needed } = options.values;
  if (!LinuxDOOAuthEnabled) throw new AppError('provider_disabled', { provider });
  const address = addressOf(options.values);
  const { access_token } = await askProvider(egress, `${address}/oauth2/token`, {
    provider,
    schema: token,
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${LinuxDOClientId}:${LinuxDOClientSecret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri }).toString(),
  });
  const member = await askProvider(egress, `${address}/api/user`, {
    provider,
    schema: account,
    headers: { authorization: `Bearer ${access_token}`, accept: 'application/json' },
  });
  return {
    provider: 'linuxdo',
    id: String(member.id),
    name: member.name || member.username || '',
    refuseNew() {
      if (!member.active || member.silenced) throw new AppError('provider_account_restricted', { provider });
      if (member.trust_level < needed) throw new AppError('trust_level_too_low', { provider, needed });
    },
  };
}

function addressOf({ LinuxDOAddress }: { LinuxDOAddress: string }): string {
  return LinuxDOAddress || 'https://connect.linux.do';
}
