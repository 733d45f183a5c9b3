import { expect } from 'chai';
import { configureSealing, seal, unseal } from '../src/sealed.ts';

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
});
