import { expect } from 'chai';
import { createChannelBody, createTokenBody, updateUserBody } from '../src/index.ts';

const channel = { name: 'upstream', type: 1, key: 'sk-x', models: 'gpt-4o' };

describe('names that people read', () => {
  for (const [what, hidden] of [
    ['a right-to-left override', '\u202e'],
    ['an isolate', '\u2066'],
    ['a line end', '\n'],
    ['an escape', '\u001b'],
  ] as const) {
    it(`hold no ${what.replace(/^an? /, '')}`, () => {
      const name = `a${hidden}b`;
      expect(createTokenBody.safeParse({ name }).success, 'token').to.equal(false);
      expect(createChannelBody.safeParse({ ...channel, name }).success, 'channel').to.equal(false);
      expect(createChannelBody.safeParse({ ...channel, tag: name }).success, 'tag').to.equal(false);
      for (const field of ['username', 'display_name', 'group'])
        expect(updateUserBody.safeParse({ id: 1, [field]: name }).success, field).to.equal(false);
    });
  }

  it('are of any script, joined letters and pictures included', () => {
    for (const name of ['令牌', 'שלום', 'می‌خواهم', 'Ünïcode 👩‍💻'])
      expect(createTokenBody.safeParse({ name }).success, name).to.equal(true);
  });
});

describe('JSON texts of a channel', () => {
  for (const [field, reason] of [
    ['model_mapping', 'Model mapping must be valid JSON'],
    ['status_code_mapping', 'must be a JSON object'],
    ['setting', 'must be a JSON object'],
  ] as const) {
    it(`are refused with a reason where they are no JSON: ${field}`, () => {
      for (const text of ['{"a":', '[]', 'nope', '{"400": }']) {
        const { error } = createChannelBody.safeParse({ ...channel, [field]: text });
        expect(error?.issues.map(({ path, message }) => `${path}: ${message}`)).to.deep.equal([`${field}: ${reason}`]);
      }
    });
  }
});
