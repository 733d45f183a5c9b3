import { expect } from 'chai';
import { z } from 'zod';
import { addressList, addressListSetting, addressRule, loadConfig } from '../src/index.ts';

describe('a list of addresses', () => {
  it('holds addresses and blocks of both kinds, whatever clothes an IPv4 address comes in', () => {
    const list = addressList(['10.0.0.0/8', '192.168.1.7', '2001:db8::/32', '::1', '::ffff:172.16.0.0/108']);
    for (const address of ['10.255.0.1', '::ffff:10.1.2.3', '192.168.1.7', '2001:db8:1::5', '::1', '172.16.3.4']) {
      expect(list.has(address), address).to.equal(true);
    }
    for (const address of ['11.0.0.1', '192.168.1.8', '2001:db9::1', '::2', '172.32.0.1', '', 'localhost']) {
      expect(list.has(address), address).to.equal(false);
    }
  });

  it('lets nobody in by an entry that says nothing', () => {
    expect(addressList(['', '0.0.0.0/99', 'anywhere']).has('1.2.3.4')).to.equal(false);
  });

  it('makes a rule with one of those that are left out: it says nothing where both are empty', () => {
    expect(addressRule([], [])).to.equal(undefined);
    const inAndOut = [
      [['10.0.0.0/8'], [], '10.0.0.7', true],
      [['10.0.0.0/8'], [], '11.0.0.7', false],
      [['10.0.0.0/8'], ['10.0.0.7'], '10.0.0.7', false],
      [[], ['10.0.0.7'], '::ffff:10.0.0.7', false],
      [[], ['10.0.0.7'], '10.0.0.8', true],
      [['nonsense'], [], '10.0.0.8', false],
    ] as const;
    for (const [allowed, denied, address, may] of inAndOut) expect(addressRule(allowed, denied)?.has(address), address).to.equal(may);
  });

  it('as a setting names the entry that is wrong', () => {
    const env = z.object({ TRUSTED_PROXIES: addressListSetting });
    expect(loadConfig(env, { TRUSTED_PROXIES: '10.0.0.0/8, ::1' }).TRUSTED_PROXIES.has('::1')).to.equal(true);
    expect(loadConfig(env, {}).TRUSTED_PROXIES.has('::1')).to.equal(false);
    expect(() => loadConfig(env, { TRUSTED_PROXIES: '10.0.0.0/33' })).to.throw('TRUSTED_PROXIES: 10.0.0.0/33 is neither');
  });
});
