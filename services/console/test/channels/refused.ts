import { type ChannelView, channelTypes } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import { expect } from 'chai';
import { body, type Scene, unbuilt, wellFormedKey } from './scene.ts';

/** What no channel may be: each with its reason. */
export function refused(scene: () => Scene): void {
  it('refuse what could never work, each with its reason', async () => {
    const { admin } = scene();
    for (const [change, message] of [
      [{ name: '' }, /name/],
      [{ key: ' \n ' }, /a channel needs a key/],
      [{ models: ' , ' }, /a channel needs at least one model/],
      [{ type: 999 }, /is not a known channel type/],
      [{ model_mapping: '[1]' }, /Model mapping must be valid JSON/],
      [{ model_mapping: '{"a":1}' }, /must map model names/],
      [{ status_code_mapping: '{"200":"500"}' }, /must map HTTP statuses/],
      [{ setting: '{"proxy":1}' }, /proxy/],
      [{ setting: '{"nonsense":1}' }, /nonsense/],
      [{ base_url: 'http://10.0.0.1' }, /10\.0\.0\.1 is in a private range; allow it with EGRESS_ALLOW/],
      [{ base_url: 'http://169.254.169.254/latest' }, /EGRESS_ALLOW/],
      [{ base_url: 'http://[::1]:80' }, /EGRESS_ALLOW/],
      [{ base_url: 'file:///etc/passwd' }, /must begin with http/],
      [{ base_url: 'https://user:pass@example.com' }, /must not hold credentials/],
      [{ type: 33, key: 'AKIA|secret' }, /must have the format AccessKeyId\|SecretAccessKey\|Region/],
      [{ type: 16, key: 'id.secret\nno-dot' }, /must have the format id\.secret/],
      [{ type: 41, other: 'us-central1', key: '{"project_id":"p"}' }, /must have the format JSON/],
      [{ type: 41 }, /needs a region/],
      [{ type: 41, other: '{"gemini":"us"}' }, /with a `default`/],
      [{ type: 41, other: '{"default":""}' }, /a region in `other` is a name such as us-central1/],
      [{ type: 41, other: '{"default":"us-central1","gemini":7}' }, /a region in `other` is a name/],
      [{ type: 41, other: '{"default":"us-central1","gemini":"US Central"}' }, /a region in `other` is a name/],
      [{ type: 41, other: 'us_central1' }, /a region in `other` is a name/],
      [{ type: 41, other: 'US-CENTRAL1' }, /a region in `other` is a name/],
      [{ type: 41, other: 'us-central1/evil.example.com' }, /a region in `other` is a name/],
      [{ type: 41, other: '-us' }, /a region in `other` is a name/],
      [{ model_mapping: '{"a":' }, /Model mapping must be valid JSON/],
      [{ name: 'safe\u202egnp.exe' }, /name: may hold no invisible/],
      [{ group: 'default,nowhere' }, /Unknown group: nowhere/],
      [{ priority: -1000 }, /priority/],
      [{ weight: 1.5 }, /weight/],
    ] as const) {
      const reply = await admin.send('POST', '/api/channel/', { ...body, ...change });
      expect(reply, JSON.stringify(change)).to.include({ status: 200, success: false });
      expect(reply.message, JSON.stringify(change)).to.match(message);
    }
    expect((await admin.send('PUT', '/api/channel/', { id: 999_999, name: 'x' })).code).to.equal('record_not_found');
    expect(await Channel.countDocuments()).to.equal(0);
  });

  it('have the address and the other field without which their type could not be called', async () => {
    const { admin } = scene();
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

  it('may be switched off where what is stored of them could not be called', async () => {
    const { admin } = scene();
    const info = channelTypes.find(({ needs }) => needs.other?.format === 'regions');
    const whole = { ...body, type: info?.type, other: 'us-central1', key: info && wellFormedKey(info.needs.key) };
    const [{ id } = { id: 0 }] = await admin.ok<ChannelView[]>('POST', '/api/channel/', whole);
    await Channel.updateOne({ id }, { other: 'US Central' });
    await admin.ok('PUT', '/api/channel/', { id, status: 2 });
    expect(await admin.send('PUT', '/api/channel/', { id, other: 'US' })).to.include({ success: false, code: 'invalid_parameter' });
  });

  it('have keys of the form that their type wants, when made and when changed', async () => {
    const { admin } = scene();
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

  it('are refused when the relay has nothing for their type', async () => {
    const { admin } = scene();
    if (unbuilt === 0) return;
    expect((await admin.send('POST', '/api/channel/', { ...body, type: unbuilt })).message).to.match(
      /Channels of type .+ are not supported yet/,
    );
    const [channel] = await admin.ok<ChannelView[]>('POST', '/api/channel/', body);
    expect((await admin.send('PUT', '/api/channel/', { id: channel?.id, type: unbuilt })).code).to.equal('channel_type_unbuilt');
  });
}
