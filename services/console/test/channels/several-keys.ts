import {
  type ChannelKeyView,
  type ChannelView,
  channelFailuresKey,
  dayOf,
  keyCountsKey,
  mostKeys,
  type Page,
  restingKeysKey,
} from '@tollgate/contracts';
import { AuditLog, Channel, unseal } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { body, type Scene } from './scene.ts';

const long = (name: string) => `sk-${name}-${'0123456789abcdef'.repeat(2)}`;
const keys = [long('one'), long('two'), long('three')];

/** Channels with several keys, made in either body, and what is done with their keys. */
export function severalKeys(scene: () => Scene): void {
  const make = async (fields: Record<string, unknown> = {}): Promise<ChannelView> => {
    const channel = { ...body, key: keys.join('\n') };
    const made = await scene().admin.ok<ChannelView[]>('POST', '/api/channel/', { mode: 'multi_to_single', channel, ...fields });
    expect(made).to.have.length(1);
    return made[0] as ChannelView;
  };
  const listed = async (id: number, query = '') =>
    (await scene().admin.ok<Page<ChannelKeyView>>('GET', `/api/channel/${id}/keys${query}`)).items;
  /** What relays write, for one moment. */
  const asRelay = async (write: (redis: Redis) => Promise<unknown>): Promise<void> => {
    const redis = new Redis(scene().tollgate.redisUrl);
    await write(redis);
    redis.disconnect();
  };
  const stored = async (id: number) => {
    const row = await Channel.findOne({ id }).select('+keySealed +keySecrets').lean();
    const text = (sealed: string) => unseal(sealed, `channel:${id}:key`);
    return { served: text(row?.keySealed ?? ''), all: (row?.keySecrets ?? []).map((secret: { sealed: string }) => text(secret.sealed)) };
  };

  it('are made of the newer body of the family, and tell of their keys in its shape', async () => {
    const { admin } = scene();
    const { id, channel_info } = await make({ multi_key_mode: 'polling' });
    expect(channel_info).to.deep.equal({
      is_multi_key: true,
      multi_key_size: 3,
      multi_key_status_list: {},
      multi_key_polling_index: 0,
      multi_key_mode: 'polling',
    });
    expect(await stored(id)).to.deep.equal({ served: keys[0], all: keys });
    const found = await admin.ok<Page<ChannelView>>('GET', `/api/channel/search?keyword=${keys[2]}`);
    expect(
      found.items.map((channel) => channel.id),
      'found by any of its keys',
    ).to.deep.equal([id]);
    expect((await listed(id)).map(({ id: key, tail, status }) => [key, tail, status])).to.deep.equal([
      [1, 'cdef', 1],
      [2, 'cdef', 1],
      [3, 'cdef', 1],
    ]);
    const batch = await admin.ok<ChannelView[]>('POST', '/api/channel/', {
      mode: 'batch',
      batch_add_set_key_prefix_2_name: true,
      channel: { ...body, name: 'many', key: keys.join('\n') },
    });
    expect(batch.map(({ name, channel_info: { is_multi_key } }) => [name, is_multi_key])).to.deep.equal([
      ['many sk-one-0', false],
      ['many sk-two-0', false],
      ['many sk-three', false],
    ]);
    expect((await admin.send('POST', '/api/channel/', { mode: 'single', channel: { ...body, key: keys.join('\n') } })).success).to.equal(
      false,
    );
    const [single] = await admin.ok<ChannelView[]>('POST', '/api/channel/', { mode: 'single', channel: body });
    expect(single?.channel_info.is_multi_key).to.equal(false);
    const answers = JSON.stringify([await admin.send('GET', '/api/channel/'), await listed(id), await AuditLog.find().lean()]);
    expect(answers).not.to.match(/0123456789abcdef|sealed|digest/i);
  });

  it('get, lose, switch and replace keys, and never give an id twice', async () => {
    const { admin } = scene();
    const [{ id = 0 } = {}] = await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...body, key: keys[0] });
    expect(
      (await listed(id)).map((key) => key.id),
      'the only one',
    ).to.deep.equal([1]);
    expect(await admin.ok('POST', `/api/channel/${id}/keys`, { key: `${keys[0]}\n${keys[1]}\n${keys[2]}`, name: 'team' })).to.equal(2);
    expect((await listed(id)).map(({ id: key, name }) => [key, name])).to.deep.equal([
      [1, ''],
      [2, 'team 2'],
      [3, 'team 3'],
    ]);
    await admin.ok('PUT', `/api/channel/${id}/keys`, { ids: [1], set: { status: 2 } });
    expect((await stored(id)).served, 'older releases are given one that is enabled').to.equal(keys[1]);
    const view = await admin.ok<ChannelView>('GET', `/api/channel/${id}`);
    expect(view.channel_info.multi_key_status_list).to.deep.equal({ 0: 2 });
    expect((await listed(id, '?status=2')).map((key) => key.id)).to.deep.equal([1]);
    await admin.ok('PUT', `/api/channel/${id}/keys`, { ids: [3], set: { key: long('fresh') } });
    expect((await listed(id)).map(({ id: key, name }) => [key, name])).to.deep.equal([
      [1, ''],
      [2, 'team 2'],
      [4, 'team 3'],
    ]);
    expect(await admin.ok('POST', `/api/channel/${id}/keys/delete`, { ids: [4, 2] })).to.equal(2);
    await admin.ok('POST', `/api/channel/${id}/keys`, { key: keys[2] });
    expect((await listed(id)).map((key) => key.id)).to.deep.equal([1, 5]);
    expect((await admin.send('POST', `/api/channel/${id}/keys/delete`, { ids: [1, 5] })).success, 'the last one stays').to.equal(false);
    expect((await admin.send('POST', `/api/channel/${id}/keys`, { key: 'two words\u0007' })).success).to.equal(false);
    expect((await admin.send('PUT', `/api/channel/${id}/keys`, { ids: [9], set: { status: 1 } })).code).to.equal('record_not_found');
  });

  it('get another key for one of theirs, even when full, but none twice', async () => {
    const { admin } = scene();
    const { id } = await make();
    const row = await Channel.findOne({ id }).select('+keySecrets').lean();
    const [key, secret] = [row?.keys?.[0], row?.keySecrets?.[0]];
    const more = Array.from({ length: mostKeys - keys.length }, (_, at) => at + 4);
    const [rows, secrets] = [more.map((each) => ({ ...key, id: each })), more.map((each) => ({ ...secret, id: each, digest: `${each}` }))];
    await Channel.updateOne({ id }, { $push: { keys: { $each: rows }, keySecrets: { $each: secrets } }, $set: { lastKeyId: mostKeys } });
    const replace = (fresh: string) => admin.send('PUT', `/api/channel/${id}/keys`, { ids: [2], set: { key: fresh } });
    expect((await replace(keys[2] as string)).code, 'one that it has').to.equal('invalid_parameter');
    expect((await replace(long('seven'))).success).to.equal(true);
    expect((await stored(id)).all.slice(0, 3)).to.deep.equal([keys[0], long('seven'), keys[2]]);
    expect((await admin.send('POST', `/api/channel/${id}/keys`, { key: long('eight') })).code, 'one more').to.equal('invalid_parameter');
  });

  it('are replaced, or added to, by the key of an edit', async () => {
    const { admin } = scene();
    const { id } = await make();
    await admin.ok('PUT', '/api/channel/', { id, key: long('four'), key_mode: 'append', multi_key_mode: 'fill' });
    expect((await stored(id)).all).to.deep.equal([...keys, long('four')]);
    await admin.ok('PUT', '/api/channel/', { id, key: '', name: 'renamed' });
    expect((await stored(id)).all).to.have.length(4);
    await admin.ok('PUT', '/api/channel/', { id, key: long('five') });
    expect(await stored(id)).to.deep.equal({ served: long('five'), all: [long('five')] });
    expect((await listed(id)).map((key) => key.id)).to.deep.equal([5]);
    const moved = await admin.send('PUT', '/api/channel/', {
      id,
      base_url: 'https://elsewhere.example',
      key: long('six'),
      key_mode: 'append',
    });
    expect(moved.code, 'an address gets no key that its editor does not know').to.equal('channel_needs_key');
  });

  it('are copied, deleted and taken back with all their keys', async () => {
    const { admin } = scene();
    const { id } = await make();
    const copy = await admin.ok<ChannelView>('POST', `/api/channel/${id}/copy`);
    expect((await stored(copy.id)).all).to.deep.equal(keys);
    const { undo } = (await admin.send('DELETE', `/api/channel/${id}`)) as { undo?: string };
    await admin.ok('POST', '/api/undo', { id: undo });
    expect(await stored(id)).to.deep.equal({ served: keys[0], all: keys });
  });

  it('lose a key that its provider refuses, and rest themselves only with the last one', async () => {
    const { tollgate, admin } = scene();
    const { id } = await make();
    await tollgate.root.ok('PUT', '/api/option/', { key: 'AutomaticDisableChannelEnabled', value: 'true' });
    const report = (keyId: number) =>
      asRelay((redis) =>
        redis.lpush(
          channelFailuresKey,
          JSON.stringify({ channelId: id, keyId, kind: 'credentials', code: null, type: 'x', message: `refused ${keyId}` }),
        ),
      );
    const statusOf = async () => (await admin.ok<ChannelView>('GET', `/api/channel/${id}`)).status;
    await report(1);
    await eventually(
      async () =>
        expect((await listed(id)).map(({ status, reason }) => [status, reason])).to.deep.equal([
          [3, 'refused 1'],
          [1, ''],
          [1, ''],
        ]),
      { timeoutMs: 15_000 },
    );
    expect(await statusOf()).to.equal(1);
    await Promise.all([report(2), report(3)]);
    await eventually(async () => expect(await statusOf(), 'no key is left').to.equal(3), { timeoutMs: 15_000 });
    await admin.ok('PUT', `/api/channel/${id}/keys`, { ids: [2], set: { status: 1 } });
    expect(await statusOf(), 'one is back').to.equal(1);
    await tollgate.root.ok('PUT', '/api/option/', { key: 'AutomaticDisableChannelEnabled', value: 'false' });
  });

  it('show what the relays know of each key', async () => {
    const { id } = await make();
    const untilMs = Date.now() + 30_000;
    await asRelay(async (redis) => {
      await redis.hset(restingKeysKey(id), '2', JSON.stringify({ reason: 'limited', model: 'gpt-4o', untilMs }));
      await redis.hset(keyCountsKey(id, dayOf(Date.now())), { '2:calls': 4, '2:failures': 1, '2:ms': 900, '2:quota': 77 });
    });
    const [first, second] = await listed(id);
    expect(first).to.include({ resting: null, calls: 0 });
    expect(second).to.deep.include({ calls: 4, failures: 1, average_ms: 300, used_quota: 77 });
    expect(second?.resting).to.deep.equal({ reason: 'limited', model: 'gpt-4o', until: Math.ceil(untilMs / 1000) });
  });
}
