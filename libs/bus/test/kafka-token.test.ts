import { expect } from 'chai';
import { LoginRefused } from '../src/drivers/kafka-login.ts';
import { openTokens } from '../src/drivers/kafka-token.ts';
import { startTokenServer, type TokenServer } from './token-server.ts';

describe('tokens for Kafka', () => {
  const client = { username: 'tollgate', password: 'a secret/with:signs' };
  let server: TokenServer;

  beforeEach(async () => {
    server = await startTokenServer(client);
  });
  afterEach(() => server.stop());

  const tokens = (changed: { password?: string; scope?: string } = {}) =>
    openTokens({ mechanism: 'oauthbearer', ...client, tokenUrl: server.url, scope: '', ...changed });
  const failureOf = (token: () => Promise<string>): Promise<Error> =>
    token().then(
      () => expect.fail('it got a token'),
      (error: Error) => error,
    );

  it('are asked for once, however many connections want one, with the scope that was set', async () => {
    const token = tokens({ scope: 'kafka read' });
    const [first, ...others] = await Promise.all([token(), token(), token()]);
    expect(others).to.deep.equal([first, first]);
    expect(await token()).to.equal(first);
    expect(server.asked).to.deep.equal(['grant_type=client_credentials&scope=kafka+read']);
  });

  it('are asked for again when they end', async () => {
    server.lifeS = 0;
    const token = tokens();
    const first = await token();
    expect(await token()).not.to.equal(first);
    expect(server.asked).to.deep.equal(['grant_type=client_credentials', 'grant_type=client_credentials']);
  });

  it('say that the secret is wrong, and never the secret', async () => {
    const error = await failureOf(tokens({ password: 'guessed-wrong' }));
    expect(error).to.be.instanceOf(LoginRefused);
    expect(error.message).to.contain('refuses tollgate (KAFKA_USERNAME, KAFKA_PASSWORD): 401 invalid_client');
    expect(error.message).not.to.contain('guessed-wrong');
  });

  it('say that the server is away or in trouble, and come once it is well', async () => {
    const token = tokens();
    server.failure = { status: 503, error: 'busy' };
    const error = await failureOf(token);
    expect(error).not.to.be.instanceOf(LoginRefused);
    expect(error.message).to.contain('KAFKA_OAUTH_TOKEN_URL').and.to.contain('503');
    server.failure = undefined;
    expect(await token()).to.be.a('string');
    const nobody = openTokens({ mechanism: 'oauthbearer', ...client, tokenUrl: 'http://127.0.0.1:1/token', scope: '' });
    expect((await failureOf(nobody)).message).to.contain('KAFKA_OAUTH_TOKEN_URL');
  });
});
