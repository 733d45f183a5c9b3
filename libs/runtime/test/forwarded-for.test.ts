import { expect } from 'chai';
import { hopAddress, plainForwardedFor, watchProxies } from '../src/index.ts';

describe('X-Forwarded-For', () => {
  it('is read with ports and brackets, and by nothing that is no address', () => {
    const hops: Record<string, string | undefined> = {
      '198.51.100.7': '198.51.100.7',
      ' 198.51.100.7:51234 ': '198.51.100.7',
      '[2001:db8::1]': '2001:db8::1',
      '[2001:db8::1]:443': '2001:db8::1',
      '2001:db8::1': '2001:db8::1',
      '::ffff:10.0.0.1': '::ffff:10.0.0.1',
      unknown: undefined,
      '_hidden:80': undefined,
      '198.51.100.7:': undefined,
      '198.51.100.999:80': undefined,
      '[198.51.100.7]x': undefined,
      '': undefined,
    };
    for (const [entry, address] of Object.entries(hops)) expect(hopAddress(entry), entry).to.equal(address);
    expect(plainForwardedFor('unknown, 198.51.100.7:1,[2001:db8::1]:2')).to.equal('unknown, 198.51.100.7, 2001:db8::1');
  });

  it('of a private peer that nobody trusts is warned of once, of a trusted or public one never', () => {
    const warnings: object[] = [];
    const watch = watchProxies((peer) => peer === '10.0.0.1', { warn: (facts: object) => void warnings.push(facts) } as never);
    const saw = (remoteAddress: string, forwarded: string | undefined = '203.0.113.9') =>
      watch.saw({ headers: forwarded === '' ? {} : { 'x-forwarded-for': forwarded }, socket: { remoteAddress } } as never);
    saw('10.0.0.1');
    saw('203.0.113.1');
    saw('192.168.0.9', '');
    expect([watch.latest(), warnings]).to.deep.equal([undefined, []]);
    for (const peer of ['192.168.0.9', '192.168.0.9', '127.0.0.1', '::1', '192.168.0.9', '100.64.0.1', 'fd00::1', '::ffff:172.17.0.1'])
      saw(peer);
    expect(warnings).to.deep.equal(
      ['192.168.0.9', '127.0.0.1', '::1', '100.64.0.1', 'fd00::1', '::ffff:172.17.0.1'].map((peer) => ({ peer })),
    );
    expect(watch.latest()).to.equal('::ffff:172.17.0.1');
  });
});
