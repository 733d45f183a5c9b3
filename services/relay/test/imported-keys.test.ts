import { execFile } from 'node:child_process';
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { rows, Token } from '@tollgate/db';
import { bareEnvironment, eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { question } from './support/ask.ts';
import { type Gateway, startGateway } from './support/gateway.ts';

const program = join(import.meta.dirname, '../../console/src/import.ts');
const size = { users: 300, tokens: 1_500, channels: 20 };
const calls = 200;

/** What an import needs of https://github.com/QuantumNous/new-api/tree/main/model. */
const tables = `
CREATE TABLE users (id integer PRIMARY KEY, username text, password text, role integer, status integer, quota integer, used_quota integer, "group" text, aff_code text, aff_quota integer, deleted_at datetime);
CREATE TABLE tokens (id integer PRIMARY KEY, user_id integer, key text, status integer, name text, expired_time integer DEFAULT -1, remain_quota integer, unlimited_quota integer, model_limits_enabled integer DEFAULT 0, model_limits text, deleted_at datetime);
CREATE TABLE channels (id integer PRIMARY KEY, type integer, key text, status integer, name text, base_url text, models text, "group" text);
CREATE TABLE options (key text PRIMARY KEY, value text);`;

describe('Imported keys', function () {
  this.timeout(600_000);
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-keys-'));
  const path = join(folder, 'new-api.db');
  const keys: string[] = [];
  let gateway: Gateway;

  before(async () => {
    gateway = await startGateway();
    await gateway.user({ role: 100 });
    const database = new DatabaseSync(path);
    database.exec(`${tables} BEGIN`);
    const user = database.prepare('INSERT INTO users VALUES (?, ?, ?, ?, 1, ?, 0, ?, ?, 0, NULL)');
    for (let id = 1; id <= size.users; id += 1) user.run(id, `user${id}`, '', id === 1 ? 100 : 1, 1_000_000 + id, 'default', `c${id}`);
    const token = database.prepare(
      'INSERT INTO tokens (id, user_id, key, status, name, remain_quota, unlimited_quota) VALUES (?, ?, ?, 1, ?, ?, ?)',
    );
    for (let id = 1; id <= size.tokens; id += 1) {
      const key = randomBytes(24).toString('hex');
      keys.push(key);
      token.run(id, 1 + (id % size.users), key, `t${id}`, 500_000, id % 2);
    }
    const channel = database.prepare("INSERT INTO channels VALUES (?, 1, ?, 1, ?, ?, 'test-model', 'default')");
    for (let id = 1; id <= size.channels; id += 1) channel.run(id, `upstream-${id}`, `c${id}`, gateway.provider.url);
    database.exec('COMMIT');
    database.close();
    chmodSync(path, 0o444);
  });
  after(async () => {
    await gateway.stop();
    rmSync(folder, { recursive: true });
  });

  it('answer at the paths and headers of the old gateway, whose database stays as it was', async () => {
    const hashOf = () => createHash('sha256').update(readFileSync(path)).digest('hex');
    const before = hashOf();
    const env = { ...bareEnvironment(), ...gateway.env } as Record<string, string>;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', program, '--from', path, '--apply'],
      { env, maxBuffer: 2 ** 28 },
    );
    expect(stdout).to.contain(' 0  difference');
    expect(hashOf()).to.equal(before);
    expect(await Token.countDocuments({ keyHash: { $in: keys.map((key) => createHash('sha256').update(key).digest('hex')) } })).to.equal(
      size.tokens,
    );
    const sum = (await rows.wallets().find().toArray()).reduce((all, { _id, balance }) => all + (_id > 1 ? balance : 0), 0);
    expect(sum).to.be.at.least(1_000_000 * (size.users - 1));

    const chat = question();
    const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
    const forms: ((key: string) => [string, object, Record<string, string>])[] = [
      (key) => ['/v1/chat/completions', chat, { authorization: `Bearer sk-${key}` }],
      (key) => ['/v1/chat/completions', chat, { authorization: `Bearer ${key}` }],
      (key) => ['/chat/completions', chat, { authorization: `Bearer sk-${key}` }],
      (key) => ['/v1/messages', { ...chat, max_tokens: 10 }, { 'x-api-key': `sk-${key}`, 'anthropic-version': '2023-06-01' }],
      (key) => ['/v1beta/models/test-model:generateContent', { contents }, { 'x-goog-api-key': `sk-${key}` }],
      (key) => [`/v1beta/models/test-model:generateContent?key=sk-${key}`, { contents }, {}],
      (key) => ['/openai/deployments/test-model/chat/completions?api-version=2024-06-01', chat, { 'api-key': `sk-${key}` }],
    ];
    await eventually(async () => {
      const answer = await gateway.post('/v1/chat/completions', chat, { authorization: `Bearer sk-${keys[0]}` });
      expect(answer.status, await answer.text()).to.equal(200);
    });
    for (let at = 0; at < calls; at += 1) {
      const [where, body, headers] = (forms[at % forms.length] as (typeof forms)[number])(keys[randomInt(keys.length)] as string);
      const answer = await gateway.post(where, body, headers);
      expect(answer.status, `${where.split('?', 1)} ${await answer.text()}`).to.equal(200);
    }
    const ofRoot = keys[size.users - 1] as string;
    const chosen = await gateway.post('/v1/chat/completions', chat, { authorization: `Bearer sk-${ofRoot}-7` });
    expect(chosen.status, await chosen.text()).to.equal(200);
    expect(gateway.provider.lastCall().headers.authorization).to.equal('Bearer upstream-7');
    const notRoot = await gateway.post('/v1/chat/completions', chat, { authorization: `Bearer sk-${keys[0]}-7` });
    expect(notRoot.status, 'only administrators choose a channel').to.equal(403);
    for (const [method, where] of [
      ['GET', '/v1/models'],
      ['GET', '/dashboard/billing/subscription'],
      ['GET', '/mj/task/1/fetch'],
      ['GET', '/suno/fetch/1'],
    ] as const) {
      const answer = await fetch(gateway.url + where, { method, headers: { authorization: `Bearer sk-${keys[1]}` } });
      expect(answer.status, where).not.to.equal(401);
    }
  });
});
