import { Writable } from 'node:stream';
import { type ChannelView, optionKeys, optionRegistry, routeNames, type TokenView } from '@tollgate/contracts';
import { User } from '@tollgate/db';
import { createLogger } from '@tollgate/runtime';
import { expect } from 'chai';
import { TOTP } from 'otpauth';
import { startConsole, type TestConsole, testPassword } from './support/console.ts';

const secretOptions = optionKeys.filter((key) => optionRegistry[key].access === 'secret');
const leaving: string[] = ['GET /api/user/logout', 'GET /api/user/token'];

describe('secrets', () => {
  let tollgate: TestConsole;
  let logged = '';
  before(async () => {
    const sink = new Writable({
      write(line, _encoding, done) {
        logged += line;
        done();
      },
    });
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' }, createLogger({ service: 'console', level: 'trace' }, sink));
  });
  after(() => tollgate.close());

  it('stand in no answer, no log line, no stored text, whatever happens', async () => {
    const user = await tollgate.newUser();
    const token = await user.ok<TokenView>('POST', '/api/token/', { name: 'mine', unlimited_quota: true });
    const channelBody = { name: 'c', type: 1, key: 'canary-channel-key', models: 'm' };
    const [channel] = await tollgate.root.ok<ChannelView[]>('POST', '/api/channel/', channelBody);
    await tollgate.root.ok('PUT', '/api/option/', { key: 'ServerAddress', value: 'https://site.example' }); // payment needs it
    for (const key of secretOptions) await tollgate.root.ok('PUT', '/api/option/', { key, value: `canary-${key}` });
    await user.ok('PUT', '/api/user/setting', {
      notify_type: 'webhook',
      quota_warning_threshold: 1,
      webhook_url: 'https://example.com',
      webhook_secret: 'canary-hook',
    });
    await user.ok('PUT', '/api/user/self', { password: 'canary-password', original_password: testPassword });
    await user.send('PUT', '/api/user/self', { password: 'canary-another', original_password: 'canary-original' });
    const { secret: seed } = await tollgate.root.ok<{ secret: string }>('POST', '/api/user/2fa/setup', { password: 'root for tests' });
    const code = new TOTP({ secret: seed }).generate();
    const { backup_codes: recovery } = await tollgate.root.ok<{ backup_codes: string[] }>('POST', '/api/user/2fa/enable', { code });
    await tollgate.root.send('POST', '/api/user/2fa/disable', { code: 'canary-code' });
    await tollgate.anonymous.send('GET', '/api/oauth/github?code=canary-code&state=canary-state');
    const accessToken = await tollgate.root.ok<string>('GET', '/api/user/token');
    await tollgate.anonymous.send('POST', '/api/user/login', { username: user.username, password: 'canary-wrong' });
    await tollgate.anonymous.send('GET', '/api/user/self', undefined, { authorization: 'Bearer canary-access' });
    await tollgate.root.send('PUT', '/api/option/', '{"key":"EpayKey","value":"canary-broken');
    await tollgate.root.send('PUT', '/api/channel/', { id: channel?.id, key: { canary: 'canary-odd' } });

    let answers = '';
    for (const name of routeNames.filter((route) => route.startsWith('GET') && !leaving.includes(route))) {
      const path = (name.split(' ')[1] ?? '').replace(':id', String(name.includes('/user/') ? user.id : channel?.id));
      answers += JSON.stringify(await tollgate.root.send('GET', path));
    }
    const hashes = (await User.find().select('+passwordHash +accessTokenHash').lean()).flatMap((row) => [
      row.passwordHash,
      row.accessTokenHash,
    ]);
    const secrets = [...hashes, seed, ...recovery, accessToken, token.key, testPassword, tollgate.root.cookie?.slice(8), 'canary'].filter(
      (text) => typeof text === 'string',
    );
    for (const secret of secrets) {
      expect(answers.includes(secret), `answered: ${secret}`).to.equal(false);
      expect(logged.includes(secret), `logged: ${secret}`).to.equal(false);
    }
    expect(logged).to.contain('request refused');
    const stored = await User.db.db?.collections();
    for (const collection of stored ?? []) {
      const text = JSON.stringify(await collection.find({}).toArray());
      for (const secret of ['canary', seed, ...recovery, token.key, accessToken, testPassword])
        expect(text.includes(secret), `${collection.collectionName}: ${secret}`).to.equal(false);
    }
  });
});
