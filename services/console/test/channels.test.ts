import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ChannelTypeInfo, type ChannelView, channelTypes, optionRegistry, type Page } from '@tollgate/contracts';
import { AuditLog, Channel, ChannelUsage, unseal } from '@tollgate/db';
import { providerOf } from '@tollgate/providers';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { startConsole, type TestConsole, type Visitor } from './support/console.ts';

const unbuilt = channelTypes.find(({ type }) => !providerOf(type))?.type ?? 0;
const body = { name: 'upstream', type: 1, key: 'sk-canary-upstream-key', models: 'gpt-4o, gpt-4o-mini,,gpt-4o', group: 'default,vip' };

/** A key of the form that a type wants. */
function wellFormedKey({ parts, separator }: ChannelTypeInfo['needs']['key']): string {
  if (parts === undefined) return 'sk-key';
  return separator ? parts.join(separator) : JSON.stringify(Object.fromEntries(parts.map((part) => [part, 'x'])));
}

describe('channels', () => {
  let tollgate: TestConsole;
  let admin: Visitor;
  let upstream: Server;
  let upstreamUrl: string;

  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0', EGRESS_ALLOW: '127.0.0.1' });
    admin = await tollgate.newUser({ admin: true });
    upstream = createServer((request, response) => {
      const good = request.headers.authorization === `Bearer ${body.key}`;
      response.writeHead(good ? 200 : 401, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          good
            ? { object: 'list', data: [{ id: 'm1' }, { id: 'm2' }] }
            : { error: { message: `Incorrect key ${request.headers.authorization}`, type: 'x' } },
        ),
      );
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  });
  after(async () => {
    upstream.close();
    await tollgate.close();
  });
  beforeEach(() => Channel.deleteMany({}));

  it('are made one for each line of the key, which is sealed and never answered', async () => {
    const made = await admin.ok<ChannelView[]>('POST', '/api/channel/', {
      ...body,
      key: ` ${body.key} \n\nsk-second\r\n`,
      base_url: 'https://api.example.com/',
      created_time: 5,
      used_quota: 999,
    });
    expect(made).to.have.length(2);
    expect(made[0]).to.include({
      name: 'upstream',
      status: 1,
      models: 'gpt-4o,gpt-4o-mini',
      group: 'default,vip',
      base_url: 'https://api.example.com',
      used_quota: 0,
      auto_ban: 1,
    });
    const stored = await Channel.find().sort({ id: 1 }).select('+keySealed').lean();
    expect(stored.map(({ id, keySealed }) => unseal(keySealed, `channel:${id}:key`))).to.deep.equal([body.key, 'sk-second']);
    const answers = await Promise.all(
      ['/api/channel/', '/api/channel/?tag_mode=true', '/api/channel/search?keyword=up', `/api/channel/${made[0]?.id}`].map((path) =>
        admin.send('GET', path),
      ),
    );
    expect(JSON.stringify([made, answers, await AuditLog.find().lean()])).not.to.match(/canary|sk-second|keySealed/);
  });

  it('are listed by priority or id, in pages, with a total', async () => {
    for (const [name, priority] of [
      ['low', 0],
      ['high', 5],
      ['mid', 3],
    ] as const)
      await admin.ok('POST', '/api/channel/', { ...body, name, priority });
    const list = async (query: string) =>
      (await admin.ok<Page<ChannelView>>('GET', `/api/channel/?${query}`)).items.map(({ name }) => name);
    expect(await list('p=0&page_size=10')).to.deep.equal(['high', 'mid', 'low']);
    expect(await list('p=1&page_size=10&id_sort=true')).to.deep.equal(['mid', 'high', 'low']);
    expect(await list('p=2&page_size=2')).to.deep.equal(['low']);
    expect(await admin.ok('GET', '/api/channel/')).to.include({ total: 3, page: 1, page_size: 10 });
  });

  it('are found by id, name, model and group', async () => {
    const [first] = await admin.ok<ChannelView[]>('POST', '/api/channel/', {
      ...body,
      name: 'Azure (west)',
      models: 'claude-3',
      group: 'vip',
    });
    await admin.ok('POST', '/api/channel/', { ...body, name: 'other' });
    const find = async (query: string) =>
      (await admin.ok<Page<ChannelView>>('GET', `/api/channel/search?${query}`)).items.map(({ name }) => name);
    expect(await find(`keyword=${encodeURIComponent('azure (')}`)).to.deep.equal(['Azure (west)']);
    expect(await find(`keyword=${first?.id}`)).to.deep.equal(['Azure (west)']);
    expect(await find('model=claude')).to.deep.equal(['Azure (west)']);
    expect(await find('group=default')).to.deep.equal(['other']);
    expect(await find(`keyword=${body.key}`), 'by the whole key').to.have.members(['Azure (west)', 'other']);
    expect(await find(`keyword=${body.key.slice(0, -1)}`), 'of a sealed key no part').to.deep.equal([]);
    await admin.ok('PUT', '/api/channel/', { id: first?.id, base_url: 'https://West.example.com/v1', key: 'sk-second' });
    expect(await find('keyword=west.EXAMPLE')).to.deep.equal(['Azure (west)']);
    expect(await find('keyword=sk-second')).to.deep.equal(['Azure (west)']);
    await Channel.updateMany({}, { $unset: { keyDigest: 1 } });
    await tollgate.restart();
    expect(await find('keyword=sk-second'), 'one from before keys had digests').to.deep.equal(['Azure (west)']);
  });

  it('keep what an edit does not name, the key above all', async () => {
    const [channel] = await admin.ok<ChannelView[]>('POST', '/api/channel/', {
      ...body,
      tag: 't',
      model_mapping: '{"a":"b"}',
      setting: '{"on_abort":"cancel"}',
    });
    const id = channel?.id ?? 0;
    for (const change of [
      { status: 2 },
      { priority: -7 },
      { weight: 9 },
      { base_url: '' },
      { name: 'renamed', key: '' },
      { model_mapping: '' },
      { tag: null },
      { concurrent: 4, tokens_per_minute: 1_000 },
    ])
      await admin.ok('PUT', '/api/channel/', { id, ...change });
    const edited = await admin.ok<ChannelView>('GET', `/api/channel/${id}/`);
    expect(edited).to.deep.equal({
      ...channel,
      status: 2,
      priority: -7,
      weight: 9,
      name: 'renamed',
      model_mapping: null,
      tag: null,
      concurrent: 4,
      tokens_per_minute: 1_000,
      version: 7,
    });
    const sealed = (await Channel.findOne({ id }).select('+keySealed').lean())?.keySealed ?? '';
    expect(unseal(sealed, `channel:${id}:key`)).to.equal(body.key);
    await admin.ok('PUT', '/api/channel/', { ...edited, key: 'sk-new', status: 3 });
    expect(unseal((await Channel.findOne({ id }).select('+keySealed').lean())?.keySealed ?? '', `channel:${id}:key`)).to.equal('sk-new');
  });

  it('refuse what could never work, each with its reason', async () => {
    for (const [change, message] of [
      [{ name: '' }, /name/],
      [{ key: ' \n ' }, /a channel needs a key/],
      [{ models: ' , ' }, /a channel needs at least one model/],
      [{ type: 999 }, /is not a known channel type/],
      [{ model_mapping: '[1]' }, /model_mapping: must be a JSON object/],
      [{ model_mapping: '{"a":1}' }, /must map model names/],
      [{ status_code_mapping: '{"200":"500"}' }, /must map HTTP statuses/],
      [{ setting: '{"proxy":1}' }, /proxy/],
      [{ setting: '{"nonsense":1}' }, /nonsense/],
      [{ base_url: 'http://10.0.0.1' }, /10\.0\.0\.1 is in a private range; EGRESS_ALLOW must name it/],
      [{ base_url: 'http://169.254.169.254/latest' }, /EGRESS_ALLOW/],
      [{ base_url: 'http://[::1]:80' }, /EGRESS_ALLOW/],
      [{ base_url: 'file:///etc/passwd' }, /must begin with http/],
      [{ base_url: 'https://user:pass@example.com' }, /must not hold credentials/],
      [{ type: 33, key: 'AKIA|secret' }, /must have the form AccessKeyId\|SecretAccessKey\|Region/],
      [{ type: 16, key: 'id.secret\nno-dot' }, /must have the form id\.secret/],
      [{ type: 41, other: 'us-central1', key: '{"project_id":"p"}' }, /must have the form JSON/],
      [{ type: 41 }, /needs a region/],
      [{ type: 41, other: '{"gemini":"us"}' }, /with a `default`/],
      [{ model_mapping: '{"a":' }, /model_mapping: must be a JSON object/],
      [{ name: 'safe\u202egnp.exe' }, /name: may hold no invisible/],
      [{ group: 'default,nowhere' }, /There is no group nowhere/],
      [{ priority: -1000 }, /priority/],
      [{ weight: -1 }, /weight/],
    ] as const) {
      const reply = await admin.send('POST', '/api/channel/', { ...body, ...change });
      expect(reply, JSON.stringify(change)).to.include({ status: 200, success: false });
      expect(reply.message, JSON.stringify(change)).to.match(message);
    }
    expect((await admin.send('PUT', '/api/channel/', { id: 999_999, name: 'x' })).code).to.equal('record_not_found');
    expect(await Channel.countDocuments()).to.equal(0);
  });

  it('have the address and the other field without which their type could not be called', async () => {
    const needed = channelTypes.flatMap(({ type, name, needs }) => [
      ...(needs.base_url?.required ? [{ type, name, needs, field: 'base_url' }] : []),
      ...(needs.other?.required ? [{ type, name, needs, field: 'other' }] : []),
    ]);
    const given = { base_url: 'https://api.example.com', other: 'us-central1' };
    expect(needed).to.have.length.above(6);
    for (const { type, name, needs, field } of needed) {
      const whole = { ...body, ...given, type, key: wellFormedKey(needs.key) };
      const without = await admin.send('POST', '/api/channel/', { ...whole, [field]: '' });
      expect(without, name).to.include({ success: false, code: 'invalid_parameter' });
      expect(without.message, name).to.include(field);
      const [{ id } = { id: 0 }] = await admin.ok<ChannelView[]>('POST', '/api/channel/', whole);
      expect(await admin.send('PUT', '/api/channel/', { id, [field]: '' }), name).to.include({ code: 'invalid_parameter' });
    }
    expect(await Channel.countDocuments()).to.equal(needed.length);
  });

  it('have keys of the form that their type wants, when made and when changed', async () => {
    const secret = 'sk-planted-secret-0123456789';
    const withForm = channelTypes.filter(({ needs }) => ['pipe', 'dot', 'json'].includes(needs.key.format));
    const malformed = [
      secret,
      `${secret}|`,
      `||${secret}`,
      `${secret}.`,
      `.${secret}`,
      `a|b|c|d|${secret}`,
      `{"private_key":"${secret}"}`,
      `["${secret}"]`,
    ];
    for (const { type, name, needs } of withForm) {
      const other = needs.other?.format === 'regions' ? 'us-central1' : '';
      const key = wellFormedKey(needs.key);
      const [{ id } = { id: 0 }] = await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...body, type, other, key });
      for (const key of malformed)
        for (const [method, fields] of [
          ['POST', { ...body, type, other, key }],
          ['PUT', { id, key }],
        ] as const) {
          const reply = await admin.send(method, '/api/channel/', fields);
          expect(reply, `${method} ${name} ${key}`).to.include({ success: false, code: 'channel_key_malformed' });
          expect(JSON.stringify(reply), `${method} ${name} ${key}`).to.include(needs.key.parts?.at(-1)).and.not.include(secret);
        }
    }
    expect(await Channel.countDocuments()).to.equal(withForm.length);
  });

  it('do not send their key to another address unless it is entered again, but for root', async () => {
    const [channel] = await admin.ok<ChannelView[]>('POST', '/api/channel/', {
      ...body,
      tag: 'moves',
      base_url: 'https://api.example.com/v1',
    });
    const id = channel?.id ?? 0;
    for (const change of [
      { base_url: 'https://evil.example' },
      { base_url: 'http://api.example.com/v1' },
      { base_url: 'https://api.example.com:8443/v1' },
      { base_url: 'https://api.example.com.evil.example' },
      { base_url: '' },
      { base_url: 'https://evil.example', key: ' \n' },
    ])
      expect((await admin.send('PUT', '/api/channel/', { id, ...change })).code, JSON.stringify(change)).to.equal('channel_needs_key');
    await admin.ok('PUT', '/api/channel/', { id, base_url: 'https://api.example.com/v2' });
    await admin.ok('PUT', '/api/channel/tag', { tag: 'moves', base_url: 'https://evil.example', weight: 1 });
    const copy = await admin.ok<ChannelView>('POST', `/api/channel/${id}/copy`, { base_url: 'https://evil.example' });
    expect(copy.base_url).to.equal('https://api.example.com/v2');
    expect((await admin.send('PUT', '/api/channel/', { id: copy.id, base_url: 'https://evil.example' })).code).to.equal(
      'channel_needs_key',
    );
    const plain = (await admin.ok<ChannelView[]>('POST', '/api/channel/', body))[0]?.id;
    expect((await admin.send('PUT', '/api/channel/', { id: plain, type: 43 })).code, 'another type, another address').to.equal(
      'channel_needs_key',
    );
    const byProxy = JSON.stringify({ proxy: 'http://proxy.example:8080' });
    const unsealed = (await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...body, base_url: 'http://api.example.com' }))[0]?.id;
    expect(
      (await admin.send('PUT', '/api/channel/', { id: unsealed, setting: byProxy })).code,
      'a proxy reads what is not encrypted',
    ).to.equal('channel_needs_key');
    await admin.ok('PUT', '/api/channel/', { id, setting: byProxy });
    await admin.ok('PUT', '/api/channel/', { id, base_url: 'https://new.example.com', key: 'sk-new' });
    await tollgate.root.ok('PUT', '/api/channel/', { id, base_url: 'https://newer.example.com' });
    const trail = await AuditLog.findOne({ target: `channel:${id}`, actorId: 1 })
      .sort({ at: -1 })
      .lean();
    expect(trail).to.deep.include({ before: { baseUrl: 'https://new.example.com' }, after: { baseUrl: 'https://newer.example.com' } });
  });

  it('keep a proxy’s name and password sealed, show neither, and take it back as it was shown', async () => {
    const setting = '{"proxy":"http://user:canary@proxy.example:3128","on_abort":"cancel"}';
    const [channel] = await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...body, setting });
    const id = channel?.id;
    expect(channel?.setting).to.equal('{"proxy":"http://***@proxy.example:3128","on_abort":"cancel"}');
    const shown = '{"proxy":"http://***@proxy.example:3128","on_abort":"drain"}';
    expect((await admin.ok<ChannelView>('PUT', '/api/channel/', { id, setting: shown })).setting).to.equal(shown);
    const stored = JSON.parse((await Channel.findOne({ id }).lean())?.setting ?? '') as { proxy: string };
    expect(unseal(stored.proxy, 'channel proxy')).to.equal('http://user:canary@proxy.example:3128');
    expect(JSON.stringify(await AuditLog.find({ target: `channel:${id}` }).lean())).not.to.contain('canary');
    for (const [proxy, message] of [
      ['ftp://proxy.example', /must be an address that begins with/],
      ['socks5://169.254.169.254:1080', /EGRESS_ALLOW/],
    ] as const) {
      const reply = await admin.send('PUT', '/api/channel/', { id, setting: JSON.stringify({ proxy }) });
      expect(reply.message, proxy).to.match(message);
    }
    const own = ['Host', 'content-length', 'Authorization', 'X-Api-Key', 'x-amz-date', 'proxy-authorization'];
    for (const name of own) {
      const reply = await admin.send('PUT', '/api/channel/', { id, setting: JSON.stringify({ header_override: { [name]: 'x' } }) });
      expect(reply.message, name).to.include('may not set');
    }
    for (const name of ['model', 'messages', 'stream', 'n', 'max_tokens', 'service_tier', 'tools']) {
      const reply = await admin.send('PUT', '/api/channel/', { id, setting: JSON.stringify({ param_override: { [name]: 1 } }) });
      expect(reply.message, name).to.include('may not set');
    }
  });

  it('are refused when the relay has nothing for their type', async () => {
    if (unbuilt === 0) return;
    expect((await admin.send('POST', '/api/channel/', { ...body, type: unbuilt })).message).to.match(
      /Channels of the type .+ are not built yet/,
    );
    const [channel] = await admin.ok<ChannelView[]>('POST', '/api/channel/', body);
    expect((await admin.send('PUT', '/api/channel/', { id: channel?.id, type: unbuilt })).code).to.equal('channel_type_unbuilt');
  });

  it('have the proxies of an older version sealed at start, in the audit log too', async () => {
    const proxies = {
      plain: 'http://user:canary@proxy.example',
      odd: 'user:can/canary@proxy.example:1080',
      open: 'socks5://proxy.example',
    };
    const channels = await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...body, key: 'sk-1\nsk-2\nsk-3' });
    const ids = channels.map(({ id }) => id);
    const settings = Object.values(proxies).map((proxy) => JSON.stringify({ force_format: true, proxy }));
    for (const [i, id] of ids.entries()) {
      await Channel.updateOne({ id }, { setting: settings[i] });
      await AuditLog.updateMany({ target: `channel:${id}` }, { 'after.setting': settings[i], before: { setting: settings[i] } });
    }
    await tollgate.restart();
    const views = await Promise.all(ids.map((id) => admin.ok<ChannelView>('GET', `/api/channel/${id}`)));
    const shown = ['http://***@proxy.example', '***@proxy.example:1080', proxies.open];
    expect(views.map(({ setting }) => JSON.parse(setting ?? ''))).to.deep.equal(shown.map((proxy) => ({ force_format: true, proxy })));
    const copy = await admin.ok<ChannelView>('POST', `/api/channel/${ids[0]}/copy`);
    expect(copy.setting).to.equal(views[0]?.setting);
    await admin.ok('PUT', '/api/channel/', { id: ids[0], name: 'renamed', setting: views[0]?.setting });
    await admin.ok('PUT', '/api/channel/', { id: copy.id, setting: '{}' });
    const stored = [await Channel.find({ id: { $in: [...ids, copy.id] } }).lean(), await AuditLog.find().lean()];
    expect(JSON.stringify(stored)).not.to.contain('canary');
    expect(JSON.stringify(stored[0])).to.contain('\\"proxy\\":\\"v1.').and.contain(proxies.open);
  });

  it('are copied with their key, and counted anew', async () => {
    const [channel] = await admin.ok<ChannelView[]>('POST', '/api/channel/', body);
    await ChannelUsage.create(
      { _id: `${channel?.id}:e_0`, channelId: channel?.id, usedQuota: 70 },
      { _id: `${channel?.id}:e_1`, channelId: channel?.id, usedQuota: 7 },
    );
    const copy = await admin.ok<ChannelView>('POST', `/api/channel/${channel?.id}/copy`);
    expect(copy).to.include({ name: 'upstream_copy', models: channel?.models, used_quota: 0 });
    expect((await admin.ok<ChannelView>('GET', `/api/channel/${channel?.id}`)).used_quota).to.equal(77);
    const sealed = (await Channel.findOne({ id: copy.id }).select('+keySealed').lean())?.keySealed ?? '';
    expect(unseal(sealed, `channel:${copy.id}:key`)).to.equal(body.key);
    await admin.ok('PUT', '/api/channel/', { id: channel?.id, name: `${'x'.repeat(119)}😀` });
    const cut = await admin.ok<ChannelView>('POST', `/api/channel/${channel?.id}/copy`);
    expect(cut.name, 'no half of a sign').to.equal(`${'x'.repeat(119)}_copy`);
  });

  it('are deleted alone, in numbers, and all that are off', async () => {
    const made = await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...body, key: 'a\nb\nc\nd\ne' });
    const ids = made.map(({ id }) => id);
    await admin.ok('DELETE', `/api/channel/${ids[0]}/`);
    expect(await admin.ok('POST', '/api/channel/batch', { ids: [ids[1], ids[2]] })).to.equal(2);
    await admin.ok('PUT', '/api/channel/', { id: ids[3], status: 2 });
    expect(await admin.ok('DELETE', '/api/channel/disabled')).to.equal(1);
    expect((await Channel.find().lean()).map(({ id }) => id)).to.deep.equal([ids[4]]);
    expect((await admin.send('POST', '/api/channel/batch', { ids: [] })).code).to.equal('invalid_parameter');
    expect(await admin.ok('POST', '/api/channel/fix')).to.equal(1);
  });

  it('that are deleted together leave a row each in the audit log, of how they were set up', async () => {
    const proxy = 'socks5://user:pass-of-proxy@proxy.test:1080';
    const made = await admin.ok<ChannelView[]>('POST', '/api/channel/', {
      ...body,
      key: 'a-key\nb-key',
      setting: JSON.stringify({ proxy }),
    });
    const ids = made.map(({ id }) => id);
    await admin.ok('PUT', '/api/channel/', { id: ids[1], status: 2, models: 'm7,m8' });
    expect(await admin.ok('POST', '/api/channel/batch', { ids: [...ids, 999_999] })).to.equal(2);
    const rows = await AuditLog.find({ action: 'channel.delete', target: { $in: ids.map((id) => `channel:${id}`) } })
      .sort({ _id: 1 })
      .lean();
    expect(rows.map(({ target }) => target)).to.deep.equal(ids.map((id) => `channel:${id}`));
    expect(
      rows.map(({ at }) => at.getTime() - Number(rows[0]?.at)),
      'written together',
    ).to.deep.equal([0, 0]);
    expect(rows[0]?.before).to.deep.include({ id: ids[0], name: body.name, status: 1 });
    expect(rows[1]?.before).to.deep.include({ id: ids[1], status: 2, models: ['m7', 'm8'] });
    expect(JSON.stringify(rows)).not.to.match(/keySealed|keyDigest|[ab]-key|pass-of-proxy/);
  });

  it('are handled together by their tag', async () => {
    const made = await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...body, key: 'a\nb\nc' });
    const ids = made.map(({ id }) => id);
    expect(await admin.ok('POST', '/api/channel/batch/tag', { ids: ids.slice(0, 2), tag: 'east' })).to.equal(2);
    await admin.ok('POST', '/api/channel/tag/disabled', { tag: 'east' });
    const status = async () => (await Channel.find().sort({ id: 1 }).lean()).map((channel) => channel.status);
    expect(await status()).to.deep.equal([2, 2, 1]);
    await admin.ok('POST', '/api/channel/tag/enabled', { tag: 'east' });
    expect(await status()).to.deep.equal([1, 1, 1]);
    await admin.ok('PUT', '/api/channel/tag', { tag: 'east', new_tag: 'west', models: 'm1,m2', weight: 0, model_mapping: '' });
    const page = await admin.ok<Page<ChannelView>>('GET', '/api/channel/?tag_mode=true&page_size=1');
    expect(page.items.map(({ tag, models }) => [tag, models])).to.deep.equal([
      ['west', 'm1,m2'],
      ['west', 'm1,m2'],
    ]);
    expect(page.total).to.equal(1);
    await admin.ok('PUT', '/api/channel/tag', { tag: 'west', new_tag: '' });
    expect((await admin.ok<Page<ChannelView>>('GET', '/api/channel/?tag_mode=1')).items).to.deep.equal([]);
    expect((await admin.send('PUT', '/api/channel/tag', { tag: 'west' })).message).to.contain('nothing to change');
  });

  it('ask their provider for its models, and hide the key in what it refuses', async () => {
    const [channel] = await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...body, base_url: upstreamUrl });
    expect(await admin.ok('GET', `/api/channel/fetch_models/${channel?.id}`)).to.deep.equal(['m1', 'm2']);
    expect(await admin.ok('POST', '/api/channel/fetch_models', { type: 1, key: `${body.key}\nsk-b`, base_url: upstreamUrl })).to.deep.equal(
      ['m1', 'm2'],
    );
    const refused = await admin.send('POST', '/api/channel/fetch_models', { type: 1, key: 'sk-wrong-canary', base_url: upstreamUrl });
    expect(refused).to.include({ success: false, code: 'upstream_models_unknown' });
    expect(refused.message)
      .to.match(/Incorrect key/)
      .and.not.match(/canary/);
    const odd = await admin.send('POST', '/api/channel/fetch_models', { type: 1, key: 'sk-e\u0301', base_url: upstreamUrl });
    expect(odd.message).to.equal('Invalid parameter: key: must be plain text on one line');
    const gone = await admin.send('POST', '/api/channel/fetch_models', { type: 1, key: 'x', base_url: 'http://127.0.0.1:9' });
    expect(gone.message).to.contain('cannot be reached');
    expect((await admin.send('POST', '/api/channel/fetch_models', { type: 1, key: 'x', base_url: 'http://192.168.0.1' })).code).to.equal(
      'egress_refused',
    );
  });

  it('are read for their prices once a change, whoever asks, and never before it is seen', async () => {
    await admin.ok('POST', '/api/channel/', { ...body, models: 'gpt-4o', group: 'default' });
    const offered = async () => {
      const reply = (await tollgate.anonymous.send('GET', '/api/pricing')) as unknown as { data: { model_name: string }[] };
      return reply.data.map(({ model_name }) => model_name);
    };
    expect(await offered()).to.deep.equal(['gpt-4o']);
    const reads: string[] = [];
    Channel.base.set('debug', (collection: string, method: string) => void (collection === 'channels' && reads.push(method)));
    for (let time = 0; time < 5; time += 1) expect(await offered()).to.deep.equal(['gpt-4o']);
    expect(await admin.ok('GET', '/api/user/models')).to.deep.equal(['gpt-4o']);
    Channel.base.set('debug', false);
    expect(reads).to.deep.equal([]);
    await admin.ok('POST', '/api/channel/', { ...body, models: 'gpt-4o-mini', group: 'default' });
    expect(await offered()).to.deep.equal(['gpt-4o', 'gpt-4o-mini']);
    await tollgate.root.ok('PUT', '/api/option/', { key: 'ModelPrice', value: '{"gpt-4o-mini":0.5}' });
    expect(await admin.ok('GET', '/api/user/models')).to.deep.equal(['gpt-4o', 'gpt-4o-mini']);
    expect(((await tollgate.anonymous.send('GET', '/api/pricing')) as unknown as { data: object[] }).data[1]).to.include({
      model_price: 0.5,
    });
    await tollgate.root.ok('PUT', '/api/option/', { key: 'ModelPrice', value: optionRegistry.ModelPrice.defaultText });
  });

  it('that change together are told of in one notice', async () => {
    const subscriber = new Redis(tollgate.redisUrl);
    const heard: string[] = [];
    await subscriber.psubscribe('config:channel:*');
    subscriber.on('pmessage', (_pattern, channel) => heard.push(channel.slice('config:channel:'.length)));
    const made = await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...body, key: 'one\ntwo\nthree', tag: 'together' });
    const ids = made.map(({ id }) => id);
    await admin.ok('POST', '/api/channel/tag/disabled', { tag: 'together' });
    await admin.ok('POST', '/api/channel/batch', { ids });
    await eventually(() => expect(heard).to.deep.equal([ids.join(','), ids.join(','), ids.join(',')]));
    subscriber.disconnect();
  });

  it('offer models, whose prices everyone may read', async () => {
    await admin.ok('POST', '/api/channel/', { ...body, models: 'gpt-4o,dall-e-3,has-no-price', group: 'vip' });
    const reply = (await tollgate.anonymous.send('GET', '/api/pricing')) as unknown as {
      data: { model_name: string }[];
      group_ratio: object;
      usable_group: object;
    };
    expect(reply.data).to.deep.equal([
      {
        model_name: 'dall-e-3',
        quota_type: 1,
        model_ratio: 0,
        model_price: 0.04,
        completion_ratio: 0,
        owner_by: '',
        enable_groups: ['vip'],
      },
      { model_name: 'gpt-4o', quota_type: 0, model_ratio: 1.25, model_price: 0, completion_ratio: 4, owner_by: '', enable_groups: ['vip'] },
    ]);
    expect(reply.group_ratio).to.have.property('default', 1);
    expect(reply.usable_group).to.have.property('default');
    expect(await admin.ok('GET', '/api/user/models')).to.deep.equal(['dall-e-3', 'gpt-4o']);
    await tollgate.root.ok('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    expect(await admin.ok('GET', '/api/user/models')).to.deep.equal(['dall-e-3', 'gpt-4o', 'has-no-price']);
    await tollgate.root.ok('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'false' });
    await Channel.updateMany({}, { type: unbuilt });
    await admin.ok('POST', '/api/channel/fix');
    expect(await admin.ok('GET', '/api/user/models'), 'of a type that nothing is built for').to.deep.equal([]);
    expect(await admin.ok('GET', '/api/models'))
      .to.have.property('14')
      .that.includes('claude-3-opus-20240229');
    expect(await admin.ok<object[]>('GET', '/api/channel/models'))
      .to.be.an('array')
      .with.length.above(100);
  });
});
