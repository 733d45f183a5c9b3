import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';

/** The settings in which identity providers differ, as their documentation describes them. */
export interface ProviderKind {
  /** The path of the issuer, with its last slash where the product publishes one. */
  path: string;
  method: 'client_secret_basic' | 'client_secret_post';
  /** Whether name, email and groups stand only at the UserInfo endpoint. */
  onlyUserInfo: boolean;
}

export interface RealProvider {
  issuer: string;
  /** Signs in as `login` at the page an address leads to, and consents; the query that the browser comes back with. */
  agree(pageUrl: string, login: string): Promise<URLSearchParams>;
  close(): Promise<void>;
}

/** A certified OpenID provider (https://github.com/panva/node-oidc-provider), configured as `kind` says, on loopback. */
export async function startRealProvider(
  kind: ProviderKind,
  client: { id: string; secret: string; redirectUri: string },
): Promise<RealProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const mount = kind.path.replace(/\/$/, '');
  const configuration: Configuration = {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [client.redirectUri],
        token_endpoint_auth_method: kind.method,
      },
    ],
    clientAuthMethods: [kind.method],
    conformIdTokenClaims: kind.onlyUserInfo,
    claims: { profile: ['name', 'preferred_username', 'groups'], email: ['email', 'email_verified'] },
    cookies: { keys: ['of these tests'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, name: `Name of ${id}`, email: `${id}@works.example`, email_verified: true, groups: ['staff'] }),
    }),
  };
  const provider = new Provider(`${origin}${kind.path}`, configuration);
  const handle = provider.callback();
  server.on('request', (request, response) => {
    const { url = '' } = request;
    if (!url.startsWith(mount)) return response.writeHead(404).end();
    Object.assign(request, { originalUrl: url, url: url.slice(mount.length) || '/' });
    return handle(request, response);
  });

  return {
    issuer: `${origin}${kind.path}`,
    async agree(pageUrl, login) {
      const cookies = new Map<string, string>();
      let [url, form]: [string, URLSearchParams | undefined] = [pageUrl, undefined];
      for (let step = 0; step < 20; step += 1) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const answer = await fetch(url, { redirect: 'manual', headers: { cookie }, ...(form && { method: 'POST', body: form }) });
        for (const [name = '', value = ''] of answer.headers.getSetCookie().map((each) => each.split(';')[0]?.split('=') ?? []))
          cookies.set(name, value);
        const location = answer.headers.get('location');
        if (location?.startsWith(client.redirectUri)) return new URL(location).searchParams;
        if (location) [url, form] = [new URL(location, url).href, undefined];
        else form = formIn(await answer.text(), login);
      }
      throw new Error(`the provider at ${pageUrl} did not lead back`);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The provider's own development pages ask for a login, then for consent. */
function formIn(page: string, login: string): URLSearchParams {
  const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
  if (prompt === undefined) throw new Error(`no form on the page: ${page.slice(0, 500)}`);
  return new URLSearchParams({ prompt, login, password: 'any' });
}
