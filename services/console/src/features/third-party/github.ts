import { mailAddress } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { askProvider, type Identity } from './provider.ts';

/**
 * https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps,
 * https://docs.github.com/en/enterprise-server/rest/using-the-rest-api/getting-started-with-the-rest-api
 */
const token = z.object({ access_token: z.string().min(1) });
const account = z.object({ id: z.int().positive(), name: z.string().nullish() });
const addresses = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));
const provider = 'GitHub';

/** Where people agree to be known here. Throws while it is off. */
export function githubPage({ options }: Context, state: string): string {
  const { GitHubOAuthEnabled, GitHubClientId, GitHubAddress } = options.values;
  if (!GitHubOAuthEnabled) throw new AppError('provider_disabled', { provider });
  const query = new URLSearchParams({ client_id: GitHubClientId, state, scope: 'user:email' });
  return `${GitHubAddress || 'https://github.com'}/login/oauth/authorize?${query}`;
}

/** Who the code stands for. The number is what an account is known by: names are changed, and taken by others then. */
export async function githubIdentity({ egressByOrigin: { services: egress }, options }: Context, code: string): Promise<Identity> {
  const { GitHubOAuthEnabled, GitHubClientId, GitHubClientSecret, GitHubAddress } = options.values;
  if (!GitHubOAuthEnabled) throw new AppError('provider_disabled', { provider });
  const address = GitHubAddress || 'https://github.com';
  const api = address === 'https://github.com' ? 'https://api.github.com' : `${address}/api/v3`;
  const { access_token } = await askProvider(egress, `${address}/login/oauth/access_token`, {
    provider,
    schema: token,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ client_id: GitHubClientId, client_secret: GitHubClientSecret, code }),
  });
  const headers = { authorization: `Bearer ${access_token}`, accept: 'application/vnd.github+json', 'user-agent': 'Tollgate' };
  const { id, name } = await askProvider(egress, `${api}/user`, { provider, schema: account, headers });
  return {
    provider: 'github',
    id: String(id),
    name: name ?? '',
    async email() {
      const known = await askProvider(egress, `${api}/user/emails`, { provider, schema: addresses, headers }).catch(() => []);
      const own = known.find(({ primary, verified }) => primary && verified)?.email;
      return mailAddress.safeParse(own).data ?? '';
    },
  };
}
