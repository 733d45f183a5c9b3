import { execFile } from 'node:child_process';
import { createHash, randomBytes, scryptSync } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Budget, Channel, rows, Token, UsageLog, User, unseal } from '@tollgate/db';
import { bareEnvironment, engines, skipBecause } from '@tollgate/testing';
import { expect } from 'chai';
import nacl from 'tweetnacl';
import { masterKey, startConsole, type TestConsole } from './support/console.ts';
import { emptyPostgres, installed, type OtherDatabase } from './support/other-databases.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, '../src/import.ts');
const saltKey = 'sk-salt';

/** What an import reads of https://github.com/BerriAI/litellm/blob/main/schema.prisma. */
const tables = `
CREATE TABLE "LiteLLM_BudgetTable" (budget_id text PRIMARY KEY, max_budget double precision, soft_budget double precision, max_parallel_requests int, tpm_limit bigint, rpm_limit bigint, model_max_budget jsonb, budget_duration text);
CREATE TABLE "LiteLLM_CredentialsTable" (credential_id text PRIMARY KEY, credential_name text UNIQUE, credential_values jsonb);
CREATE TABLE "LiteLLM_ProxyModelTable" (model_id text PRIMARY KEY, model_name text, litellm_params jsonb, model_info jsonb, created_at timestamp DEFAULT now());
CREATE TABLE "LiteLLM_TeamTable" (team_id text PRIMARY KEY, team_alias text, max_budget double precision, spend double precision DEFAULT 0, models text[], blocked boolean DEFAULT false, budget_duration text, model_max_budget jsonb DEFAULT '{}', created_at timestamp DEFAULT now());
CREATE TABLE "LiteLLM_UserTable" (user_id text PRIMARY KEY, user_alias text, user_email text, user_role text, password text, max_budget double precision, spend double precision DEFAULT 0, models text[], budget_duration text, model_max_budget jsonb DEFAULT '{}', tpm_limit bigint, created_at timestamp);
CREATE TABLE "LiteLLM_VerificationToken" (token text PRIMARY KEY, key_name text, key_alias text, spend double precision DEFAULT 0, expires timestamp, models text[], user_id text, team_id text, blocked boolean, max_budget double precision, budget_duration text, tpm_limit bigint, rpm_limit bigint, max_parallel_requests int, model_max_budget jsonb DEFAULT '{}', allowed_routes text[], permissions jsonb DEFAULT '{}', policies text[], aliases jsonb DEFAULT '{}', budget_id text, created_at timestamp);
CREATE TABLE "LiteLLM_SpendLogs" (request_id text PRIMARY KEY, api_key text, "user" text, spend double precision, prompt_tokens int, completion_tokens int, model text, "startTime" timestamp, "endTime" timestamp);
CREATE TABLE "LiteLLM_EndUserTable" (user_id text PRIMARY KEY);`;

describe('an import from LiteLLM', function () {
  this.timeout(120_000);
  let database: OtherDatabase;
  let insert: (table: string, row: Record<string, unknown>) => Promise<unknown>;
  let change: (sql: string) => Promise<unknown>;
  let end: () => Promise<unknown>;
  let tollgate: TestConsole;
  let env: NodeJS.ProcessEnv;

  before(async function () {
    if (!installed.postgres) return skipBecause(this, 'no server of postgres is installed');
    const { client, ...made } = await emptyPostgres();
    database = made;
    insert = (table, row) => {
      const names = Object.keys(row).map((name) => `"${name}"`);
      const places = names.map((_, at) => `$${at + 1}`);
      return client.query(`INSERT INTO "LiteLLM_${table}" (${names}) VALUES (${places})`, Object.values(row));
    };
    change = (sql) => client.query(sql);
    end = () => client.end();
    await client.query(tables);
    const uri = (await engines()).mongodbUri();
    tollgate = await startConsole({ MONGODB_URI: uri });
    env = { ...bareEnvironment(), MONGODB_URI: uri, REDIS_URL: tollgate.redisUrl, MASTER_KEY: masterKey };
  });

  after(async () => {
    await end?.();
    await tollgate?.close();
    await database?.close();
  });

  const importFrom = async (args: string[], more: NodeJS.ProcessEnv = {}) =>
    run(process.execPath, ['--disable-warning=ExperimentalWarning', program, '--from', database.address, ...args], {
      env: { ...env, ...more },
    }).then(
      ({ stdout }) => stdout,
      ({ stderr }: { stderr: string }) => stderr,
    );

  it('takes over users, teams as groups with accounts, keys by hash, budgets, models and logs', async () => {
    await insert('BudgetTable', { budget_id: 'b1', max_budget: 3, budget_duration: '30d', rpm_limit: 9 });
    await insert('CredentialsTable', {
      credential_id: 'c1',
      credential_name: 'shared',
      credential_values: encrypted({ api_key: 'sk-shared' }),
    });
    const model = (id: string, name: string, params: Record<string, unknown>) =>
      insert('ProxyModelTable', { model_id: id, model_name: name, litellm_params: encrypted(params), model_info: { id } });
    await model('m1', 'fast', {
      model: 'openai/gpt-4o-mini',
      api_key: 'sk-up',
      api_base: 'https://up.example.com/v1',
      input_cost_per_token: 1.5e-7,
      output_cost_per_token: 6e-7,
    });
    await model('m2', 'claude', { model: 'anthropic/claude-sonnet-4-5', litellm_credential_name: 'shared' });
    await model('m3', 'odd', { model: 'replicate/x', api_key: 'k' });
    const salt = randomBytes(16);
    const password = `scrypt:${Buffer.concat([salt, scryptSync('old password', salt, 32, { N: 16_384, r: 8, p: 1 })]).toString('base64')}`;
    await insert('TeamTable', { team_id: 't1', team_alias: 'research', max_budget: 10, spend: 2.5, models: ['fast'] });
    const user = { user_email: 'Ada@example.com', user_role: 'proxy_admin', max_budget: 7, spend: 0.1234567, models: [] };
    await insert('UserTable', { ...user, user_id: 'u1', password, tpm_limit: 100 });
    await insert('UserTable', { user_id: 'free', user_role: 'internal_user_viewer', models: [] });
    const key = { allowed_routes: [], models: [], user_id: 'u1' };
    const keys = ['sk-abcDEF_gh-12', 'sk-second', 'sk-third', 'sk-fourth', 'sk-fifth'].map((text) =>
      createHash('sha256').update(text).digest('hex'),
    );
    await insert('VerificationToken', { ...key, token: keys[0], key_alias: 'mine', spend: 0.5, max_budget: 2, tpm_limit: 1000 });
    await insert('VerificationToken', {
      ...key,
      token: keys[1],
      key_name: 'sk-...cond',
      team_id: 't1',
      models: ['all-team-models'],
      budget_id: 'b1',
    });
    await insert('VerificationToken', { ...key, token: keys[2], key_alias: 'routes', allowed_routes: ['management_routes'] });
    await insert('VerificationToken', { ...key, token: keys[3], key_alias: 'nobody', user_id: 'stranger', expires: '2030-01-01 00:00:00' });
    await insert('VerificationToken', { ...key, token: keys[4], key_alias: 'lost', team_id: 'gone' });
    const log = { prompt_tokens: 3, completion_tokens: 4, model: 'fast', startTime: '2026-11-01 10:00:00', endTime: '2026-11-01 10:00:02' };
    await insert('SpendLogs', { ...log, request_id: 'r1', api_key: keys[0], user: '', spend: 0.001 });
    await insert('SpendLogs', { ...log, request_id: 'r2', api_key: 'deleted', user: 'u1', spend: 0.002 });
    await insert('EndUserTable', { user_id: 'e1' });

    const closed = await importFrom([]);
    expect(closed).to.contain('channel m1 (fast): its values are encrypted: give LITELLM_SALT_KEY');
    expect(await User.countDocuments()).to.equal(1);
    const more = { LITELLM_SALT_KEY: saltKey };
    const report = await importFrom(['--apply', '--grant', '5', '--logs', 'all'], more);
    for (const line of [
      'Import from litellm',
      'user user:free (free): its role internal_user_viewer becomes that of a user',
      'user user:free (free): it has no limit at the source and gets a balance of 2500000 (--grant)',
      'user user:u1 (Ada@example.com): its limits on tokensPerMinute are left out',
      'user user:stranger: there is no such user at the source',
      'user team:t1 (research): an account of its own holds the keys',
      'its team gone does not exist',
      'channel m3 (odd): its provider replicate has no counterpart',
      'table LiteLLM_EndUserTable: 1 rows stay at the source',
      ' 0  difference',
    ])
      expect(report).to.contain(line);
    expect(report).to.match(/token \d \(routes\): it may only use management_routes: it is disabled/);
    for (const secret of [...keys, 'sk-up', 'sk-shared', saltKey]) expect(report).not.to.contain(secret);

    const users = await User.find().sort({ id: 1 }).lean();
    const wallets = new Map((await rows.wallets().find().toArray()).map(({ _id, balance }) => [_id, balance]));
    expect(users.slice(1).map(({ username, role, group, id }) => [username, role, group, wallets.get(id)])).to.have.deep.members([
      ['Ada@example.com', 10, 'default', 3_500_000 - 61_728],
      ['free', 1, 'default', 2_500_000],
      ['team-research', 1, 'research', 3_750_000],
      ['stranger', 1, 'default', 2_500_000],
    ]);
    const tokens = new Map((await Token.find().lean()).map((token) => [token.name, token]));
    const remains = new Map((await rows.tokenWallets().find().toArray()).map(({ _id, remain }) => [_id, remain]));
    expect(tokens.get('mine')).to.include({ keyHash: keys[0], unlimited: false, tokensPerMinute: 1000, status: 1 });
    expect(remains.get(tokens.get('mine')?.id ?? 0)).to.equal(750_000);
    expect(tokens.get('sk-...cond')).to.include({ unlimited: true, requestsPerMinute: 9, modelLimitsEnabled: true });
    expect(tokens.get('sk-...cond')?.modelLimits).to.deep.equal(['fast']);
    expect(tokens.get('sk-...cond')?.userId).to.equal(users.find(({ group }) => group === 'research')?.id);
    expect(tokens.get('routes')?.status).to.equal(2);
    expect(tokens.get('nobody')?.expiresAt).to.deep.equal(new Date('2030-01-01T00:00:00Z'));
    expect(await Budget.findOne().lean()).to.include({ subject: 'token', amount: 1_500_000, window: 'month', mode: 'hard' });
    const channels = await Channel.find().select('+keySealed').sort({ id: 1 }).lean();
    expect(
      channels.map(({ type, baseUrl, models, modelMapping, groups, keySealed, id }) => [
        type,
        baseUrl,
        models,
        modelMapping,
        groups,
        unseal(keySealed, `channel:${id}:key`),
      ]),
    ).to.deep.equal([
      [1, 'https://up.example.com', ['fast'], '{"fast":"gpt-4o-mini"}', ['default', 'research'], 'sk-up'],
      [14, '', ['claude'], '{"claude":"claude-sonnet-4-5"}', ['default'], 'sk-shared'],
    ]);
    expect(
      (await UsageLog.find({ importedFrom: 'litellm' }).sort({ quota: 1 }).lean()).map(({ quota, durationMs }) => [quota, durationMs]),
    ).to.deep.equal([
      [500, 2000],
      [1000, 2000],
    ]);
    await tollgate.signIn('Ada@example.com', 'old password');

    await change(`UPDATE "LiteLLM_UserTable" SET spend = 1 WHERE user_id = 'u1'`);
    const again = await importFrom(['--apply', '--grant', '5', '--logs', 'all'], more);
    expect(again).to.match(/user +0 +4\n +token +0 +4\n +channel +0 +2\n +budget +0 +1\n/);
    expect(again)
      .to.match(/log +0 +0/)
      .and.contain('its balance follows the source: 3438272 becomes 3000000');
  });
});

/** As LiteLLM encrypts each text: a NaCl secret box under SHA-256 of the salt key. */
function encrypted(values: Record<string, unknown>): Record<string, unknown> {
  const key = createHash('sha256').update(saltKey).digest();
  const box = (text: string) => {
    const nonce = randomBytes(24);
    return Buffer.concat([nonce, nacl.secretbox(Buffer.from(text), nonce, key)])
      .toString('base64')
      .replaceAll('+', '-')
      .replaceAll('/', '_');
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? box(value) : value]));
}
