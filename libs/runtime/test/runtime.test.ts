import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { z } from 'zod';
import {
  AppError,
  ConfigError,
  createLogger,
  kafkaAccess,
  kafkaAccessEnv,
  loadConfig,
  masterKeySetting,
  mongoAccess,
  mongoAccessEnv,
  mongoUriSetting,
  playgroundPasses,
  portSetting,
} from '../src/index.ts';

describe('settings', () => {
  const schema = z.object({ PORT: z.coerce.number().int(), MASTER_KEY: masterKeySetting });
  it('name every variable that is wrong, and repeat no value', () => {
    expect(() => loadConfig(schema, { PORT: 'secret-port', MASTER_KEY: 'hunter2' }))
      .to.throw(ConfigError)
      .with.property('message')
      .that.includes('PORT')
      .and.includes('MASTER_KEY')
      .and.not.includes('hunter2')
      .and.not.includes('secret-port');
  });
  it('refuse a master key that is weak', () => {
    expect(() => loadConfig(schema, { PORT: '1', MASTER_KEY: '00'.repeat(32) })).to.throw('MASTER_KEY');
    expect(
      loadConfig(schema, { PORT: '1', MASTER_KEY: Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('hex') }).MASTER_KEY,
    ).to.have.length(32);
  });
  it('refuse a MongoDB URI that names no database, which would mean one named test', () => {
    const isTaken = (uri: string) => mongoUriSetting.safeParse(uri).success;
    const hosts = ['mongo', 'mongo:27017', 'a:1,b:2,[::1]:3', 'user:p%2Fw@mongo', '%2Frun%2Fstore.sock', 'user@cluster.example.com'];
    for (const host of hosts)
      for (const scheme of ['mongodb', 'mongodb+srv']) {
        for (const bare of ['', '/', '/?replicaSet=rs0', '?tls=true'])
          expect(isTaken(`${scheme}://${host}${bare}`), host + bare).to.equal(false);
        for (const named of ['/tollgate', '/tollgate?replicaSet=rs0&authSource=admin', '/t'])
          expect(isTaken(`${scheme}://${host}${named}`), host + named).to.equal(true);
      }
    expect(mongoUriSetting.safeParse('mongodb://user:hunter2@mongo').error?.message)
      .to.contain('names no database')
      .and.not.contain('hunter2');
  });
  it('treat an empty variable as one that is not set, and blanks as nothing', () => {
    expect(loadConfig(z.object({ HOST: z.string().default('here') }), { HOST: '' }).HOST).to.equal('here');
    expect(loadConfig(z.object({ PORT: portSetting.default(3000) }), { PORT: ' ' }).PORT).to.equal(3000);
  });
  it('may stand in files of their own: what cannot be read, or is given both ways, is named without its text', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-secret-'));
    const file = join(folder, 'secret');
    await writeFile(file, 'hunter2\n');
    const wanted = z.object({ PASSWORD: z.string(), CA_FILE: z.string().default(''), CA: z.string().default('') });
    expect(loadConfig(wanted, { PASSWORD_FILE: file, CA_FILE: '/a/path' })).to.deep.equal({
      PASSWORD: 'hunter2',
      CA_FILE: '/a/path',
      CA: '',
    });
    expect(() => loadConfig(wanted, { PASSWORD_FILE: join(folder, 'none') })).to.throw(/PASSWORD_FILE: .*none cannot be read \(ENOENT\)/);
    expect(() => loadConfig(wanted, { PASSWORD_FILE: file, PASSWORD: 'x' })).to.throw(/PASSWORD_FILE: PASSWORD is set, too/);
    await rm(folder, { recursive: true });
  });
  it('say by whose certificates MongoDB is trusted, and then want TLS', async () => {
    const read = (env: Record<string, string>) => mongoAccess(loadConfig(mongoAccessEnv, env));
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-ca-'));
    const file = join(folder, 'ca.pem');
    await writeFile(file, 'the certificates');
    expect(read({})).to.deep.equal({});
    expect(read({ MONGODB_CA_FILE: file })).to.deep.equal({ tls: true, ca: 'the certificates' });
    expect(() => read({ MONGODB_CA_FILE: join(folder, 'none.pem') })).to.throw('none.pem');
    await rm(folder, { recursive: true });
  });

  it('say how Kafka is entered: not at all, by a login, by TLS and whom to trust there', async () => {
    const read = (env: Record<string, string>) => kafkaAccess(loadConfig(kafkaAccessEnv, env));
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-ca-'));
    const file = join(folder, 'ca.pem');
    await writeFile(file, 'the certificates');
    expect(read({ KAFKA_CA_FILE: file })).to.deep.equal({ sasl: undefined, ssl: undefined });
    expect(read({ KAFKA_TLS: 'true', KAFKA_CA_FILE: file }).ssl).to.deep.equal({ ca: 'the certificates' });
    expect(read({ KAFKA_TLS: 'true' }).ssl).to.deep.equal({ ca: undefined });
    expect(read({ KAFKA_USERNAME: 'us', KAFKA_PASSWORD: 'secret' }).sasl).to.deep.equal({
      mechanism: 'scram-sha-512',
      username: 'us',
      password: 'secret',
    });
    const client = { KAFKA_SASL_MECHANISM: 'oauthbearer', KAFKA_USERNAME: 'us', KAFKA_PASSWORD: 'secret' };
    const tokenUrl = 'https://login.example.com/token';
    expect(read({ ...client, KAFKA_OAUTH_TOKEN_URL: tokenUrl, KAFKA_OAUTH_SCOPE: 'kafka' }).sasl).to.deep.equal({
      mechanism: 'oauthbearer',
      username: 'us',
      password: 'secret',
      tokenUrl,
      scope: 'kafka',
    });
    expect(() => read(client)).to.throw('KAFKA_OAUTH_TOKEN_URL: is missing');
    expect(() => read({ ...client, KAFKA_OAUTH_TOKEN_URL: 'login.example.com' })).to.throw('KAFKA_OAUTH_TOKEN_URL');
    expect(() => read({ KAFKA_TLS: 'true', KAFKA_CA_FILE: join(folder, 'none.pem') })).to.throw('none.pem');
    await rm(folder, { recursive: true });
  });
});

function sink(lines: string[]): Writable {
  return new Writable({
    write(line, _encoding, done) {
      lines.push(String(line));
      done();
    },
  });
}

describe('logs', () => {
  it('hold no secret, whatever is logged', () => {
    const lines: string[] = [];
    const logger = createLogger({ service: 'test' }, sink(lines));
    const canary = 'sk-CANARYcanaryCANARYcanary';
    logger.info(
      { authorization: `Bearer ${canary}`, request: { cookie: 'session=CANARY-cookie', password: 'CANARY-pass' } },
      `called with ${canary}`,
    );
    logger.error({ err: new Error(`connect to redis://user:CANARY-secret@host:1 failed with ${canary}`) }, 'failed');
    expect(lines).to.have.length(2);
    expect(lines.join('')).to.not.include('CANARY');
  });

  it('stay whole lines of JSON, and short, whatever text from outside comes into them', () => {
    const lines: string[] = [];
    const logger = createLogger({ service: 'test' }, sink(lines));
    const hostile = 'ab:/@ sk-"{\\'.repeat(100_000);
    logger.info({ path: hostile, deep: { list: [hostile] } }, 'refused');
    logger.error({ err: Object.assign(new Error(hostile), { reply: { document: hostile } }) }, 'failed');
    logger.info({ url: 'http://host', mail: 'somebody@example.com' }, 'an address that holds no password');
    for (const line of lines) expect(JSON.parse(line)).to.be.an('object');
    expect(Math.max(...lines.map((line) => line.length))).to.be.below(20_000);
    expect(lines[2]).to.include('somebody@example.com');
  });

  it('cost in proportion to their length: no text makes looking for secrets slow', () => {
    const logger = createLogger({ service: 'test' }, sink([]));
    const cost = (text: string) => {
      const before = process.cpuUsage();
      logger.info(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    // A quadratic search takes 50 s and more for each of these.
    for (const piece of ['a', 'a:', ':', '/', '://', 'a://', 'a://b', 'a://b:', '@', 'sk-', '-', ' ']) {
      expect(cost(piece.repeat(1_000_000 / piece.length)), piece).to.be.below(500);
    }
  });
});

describe('an error for callers', () => {
  it('has its status, type and words from the catalogue, in both languages', () => {
    const error = new AppError('model_not_found', { model: 'x' });
    expect(error.status).to.equal(404);
    expect(error.message).to.include('The model x');
    expect(error.messageFor('zh')).to.include('模型 x');
  });

  it('repeats of a long text its beginning only, and splits no character', () => {
    const error = new AppError('model_not_found', { model: `${'x'.repeat(255)}🎉${'y'.repeat(1_000_000)}` }, { param: 'p'.repeat(1000) });
    expect(error.message)
      .to.have.length.below(400)
      .and.include(`${'x'.repeat(255)}…`);
    expect(error.param).to.have.length(257);
  });
});

describe('a playground pass', () => {
  const passes = playgroundPasses(Buffer.alloc(32, 7));
  it('names its user for half a minute', () => {
    const pass = passes.sign(42, 1000);
    expect(passes.verify(pass, 2000)).to.equal(42);
    expect(passes.verify(pass, 40_000)).to.equal(undefined);
  });
  it('cannot be forged', () => {
    const pass = passes.sign(42, 1000);
    expect(passes.verify(pass.replace('42', '43'), 2000)).to.equal(undefined);
    expect(passes.verify('', 2000)).to.equal(undefined);
    expect(playgroundPasses(Buffer.alloc(32, 8)).verify(pass, 2000)).to.equal(undefined);
  });
});
