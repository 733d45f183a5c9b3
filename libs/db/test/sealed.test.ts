import { expect } from 'chai';
import { configureSealing, isSealed, masterKeyId, resealed, seal, sealedDigest, sealedDigests, unseal } from '../src/sealed.ts';

describe('a sealed secret', () => {
  before(() => configureSealing(Buffer.alloc(32, 1)));

  it('opens where it was sealed for, and nowhere else', () => {
    const sealed = seal('sk-secret', 'channel:1:key');
    expect(sealed).to.not.include('secret');
    expect(unseal(sealed, 'channel:1:key')).to.equal('sk-secret');
    expect(() => unseal(sealed, 'channel:2:key')).to.throw('MASTER_KEY');
  });
  it('never looks the same twice', () => {
    expect(seal('a', 'p')).to.not.equal(seal('a', 'p'));
  });
  it('does not open under another master key, nor when it was changed', () => {
    const sealed = seal('sk-secret', 'channel:1:key');
    expect(() => unseal(`${sealed.slice(0, -4)}AAA=`, 'channel:1:key')).to.throw();
    configureSealing(Buffer.alloc(32, 2));
    expect(() => unseal(sealed, 'channel:1:key')).to.throw('MASTER_KEY');
  });
  it('needs a key of 32 bytes', () => {
    expect(() => configureSealing(Buffer.alloc(16))).to.throw('32 bytes');
  });

  it('opens under each master key that is set, by the newest of which it is sealed and named', () => {
    const [older, newer] = [Buffer.alloc(32, 3), Buffer.alloc(32, 4)];
    configureSealing(older);
    const first = seal('sk-secret', 'p');
    const digest = sealedDigest('code', 'q');
    configureSealing(newer, [older]);
    const second = seal('sk-secret', 'p');
    expect(second.startsWith(`v2.${masterKeyId(newer)}.`)).to.equal(true);
    expect([first, second].map((text) => unseal(text, 'p'))).to.deep.equal(['sk-secret', 'sk-secret']);
    expect(sealedDigests('code', 'q')).to.deep.equal([sealedDigest('code', 'q'), digest]);

    const again = resealed(first, 'p');
    expect(again.startsWith(`v2.${masterKeyId(newer)}.`)).to.equal(true);
    expect(resealed(second, 'p')).to.equal(second);
    configureSealing(newer);
    expect([again, second].map((text) => unseal(text, 'p'))).to.deep.equal(['sk-secret', 'sk-secret']);
    expect(() => unseal(first, 'p')).to.throw('MASTER_KEY');
    configureSealing(older);
    expect(() => unseal(second, 'p')).to.throw(`master key ${masterKeyId(newer)}`);
    expect([first, second, 'http://proxy', ''].map(isSealed)).to.deep.equal([true, true, false, false]);
  });

  it('has the form that earlier releases read while there is one master key', () => {
    configureSealing(Buffer.alloc(32, 5));
    expect(seal('sk-secret', 'p')).to.match(/^v1\.[A-Za-z0-9+/=]+$/);
  });
});
