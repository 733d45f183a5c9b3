import { expect } from 'chai';
import { knownValue } from '../src/shared/url-state.ts';

describe('A filter in the address', () => {
  it('counts only where its value means something, so that nothing is shown as a filter that is none', () => {
    expect([knownValue('tags', ['tags']), knownValue('tag', ['tags'])]).to.deep.equal(['tags', '']);
    expect([knownValue('14', /^\d{1,4}$/), knownValue('abc', /^\d{1,4}$/)]).to.deep.equal(['14', '']);
    expect(knownValue('any text', undefined)).to.equal('any text');
  });
});
