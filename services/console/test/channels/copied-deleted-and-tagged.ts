import type { ChannelView, Page } from '@tollgate/contracts';
import { AuditLog, Channel, ChannelUsage, unseal } from '@tollgate/db';
import { expect } from 'chai';
import { body, type Scene } from './scene.ts';

/** Channels are copied, and handled several at once: deleted, and by their tag. */
export function copiedDeletedAndTagged(scene: () => Scene): void {
  it('are copied with their key, and counted anew', async () => {
    const { admin } = scene();
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
    const { admin } = scene();
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
    const { admin } = scene();
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
    const { admin } = scene();
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
}
