import type { ChannelView, Page } from '@tollgate/contracts';
import { AuditLog, Channel, unseal } from '@tollgate/db';
import { expect } from 'chai';
import { body, type Scene } from './scene.ts';

/** Channels are made, listed, found and edited; their keys are answered to nobody. */
export function madeFoundAndEdited(scene: () => Scene): void {
  it('are made one for each line of the key, which is sealed and never answered', async () => {
    const { admin } = scene();
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

  it('take null for what a client has not set: as if it were left out', async () => {
    const { admin } = scene();
    const unset = { weight: null, priority: null, auto_ban: null };
    const texts = {
      base_url: 'https://west.example.com',
      openai_organization: 'org-1',
      model_mapping: '{"a":"b"}',
      status_code_mapping: '{"404":"503"}',
      test_model: 'gpt-4o',
      tag: 'main',
      setting: '{"on_abort":"cancel"}',
    };
    const [made] = await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...body, ...unset });
    expect(made).to.include({ weight: 0, priority: 0, auto_ban: 1 });
    const set = { weight: 9, priority: -7, auto_ban: 0, max_input_tokens: 900, expired_time: 4_000_000_000, ...texts };
    await admin.ok('PUT', '/api/channel/', { id: made?.id, ...set, key: body.key });
    const allUnset = Object.fromEntries(Object.keys(set).map((field) => [field, null]));
    expect(await admin.ok('PUT', '/api/channel/', { id: made?.id, ...allUnset, name: 'renamed' })).to.include({ ...set, name: 'renamed' });
    const emptied = Object.fromEntries(Object.keys(texts).map((field) => [field, '']));
    const { base_url, tag } = await admin.ok<ChannelView>('PUT', '/api/channel/', { id: made?.id, ...emptied, key: body.key });
    expect([base_url, tag], 'an empty text empties').to.deep.equal(['', null]);
    for (const wrong of ['9', '', 1.5, true, [9]])
      for (const field of Object.keys(unset)) {
        expect((await admin.send('POST', '/api/channel/', { ...body, [field]: wrong })).code, `${field} ${wrong}`).to.equal(
          'invalid_parameter',
        );
        expect((await admin.send('PUT', '/api/channel/', { id: made?.id, [field]: wrong })).code).to.equal('invalid_parameter');
      }
  });

  it('take a negative weight as 0, and groups as a list where `group` is left out', async () => {
    const { admin } = scene();
    const { group: _, ...rest } = body;
    const [made] = await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...rest, weight: -3, groups: ['vip', 'default', 'vip', ''] });
    expect(made).to.include({ weight: 0, group: 'vip,default' });
    const id = made?.id;
    expect(await admin.ok('PUT', '/api/channel/', { id, weight: -1, groups: ['default'] })).to.include({ weight: 0, group: 'default' });
    expect(await admin.ok('PUT', '/api/channel/', { id, group: 'vip', groups: ['default'] })).to.include({ group: 'vip' });
    expect(await admin.ok('PUT', '/api/channel/', { id, weight: 5 })).to.include({ group: 'vip', weight: 5 });
    const [plain] = await admin.ok<ChannelView[]>('POST', '/api/channel/', rest);
    expect(plain).to.include({ group: 'default' });
    const unknown = await admin.send('POST', '/api/channel/', { ...rest, groups: ['nowhere'] });
    expect(unknown.message).to.match(/Unknown group: nowhere/);
    expect((await admin.send('PUT', '/api/channel/tag', { tag: 'x', weight: -1 })).message).to.match(/weight/);
  });

  it('are listed by priority or id, in pages counted from 1, with a total', async () => {
    const { admin } = scene();
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
    expect(await admin.ok('GET', '/api/channel/?p=0&page_size=2'), 'which page it is').to.include({ page: 1 });
  });

  it('are found by id, name, model and group', async () => {
    const { tollgate, admin } = scene();
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
    const { admin } = scene();
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
      { tag: '' },
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
}
