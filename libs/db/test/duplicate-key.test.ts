import { expect } from 'chai';
import { isDuplicate } from '../src/index.ts';

describe('a duplicate key', () => {
  const refused = (message: string, more: object = {}) => Object.assign(new Error(message), { code: 11_000, ...more });

  it('is told by the pattern of its index', () => {
    const error = refused('E11000', { keyPattern: { username: 1 } });
    expect([isDuplicate(error), isDuplicate(error, 'username'), isDuplicate(error, 'id')]).to.deep.equal([true, true, false]);
  });

  it('is told by the name of its index where a server gives no pattern', () => {
    const message = 'E11000 duplicate key error collection: tollgate.users index: username_1 dup key: { username: "index: id_1" }';
    const old = 'E11000 duplicate key error collection: tollgate.users index: tollgate.users.$username_1 dup key: { : "ann" }';
    for (const error of [refused(message), refused(old)])
      expect([isDuplicate(error), isDuplicate(error, 'username'), isDuplicate(error, 'id'), isDuplicate(error, 'user')]).to.deep.equal([
        true,
        true,
        false,
        false,
      ]);
  });

  for (const message of [
    "Duplicate key violation on the requested collection: Index 'nameKey_unique'",
    'E11000 duplicate key error collection: tollgate.users Index \'nameKey_unique\' dup key: { email: "index: email_1" }',
    'E11000 duplicate key error collection: tollgate.users index: "nameKey_unique"',
    'E11000 duplicate key error collection: tollgate.users, index `nameKey_unique`',
    'E11000 duplicate key error collection: tollgate.users dup key: { nameKey: "ann" }',
    'E11000 duplicate key error dup key: { "nameKey" : "email: x" }',
  ])
    it(`names its field where the server says: ${message.slice(0, 80)}`, () => {
      const error = refused(message);
      expect(['nameKey', 'name', 'email', 'id'].filter((field) => isDuplicate(error, field))).to.deep.equal(['nameKey']);
      expect(isDuplicate(error)).to.equal(true);
    });

  it('is recognized in the error of a bulk write', () => {
    const error = refused('E11000', { writeErrors: [{ err: { keyPattern: { nameKey: 1 } } }] });
    expect(['nameKey', 'email'].filter((field) => isDuplicate(error, field))).to.deep.equal(['nameKey']);
  });

  it('of an index over several fields belongs to its first one', () => {
    const error = refused('E11000', { keyPattern: { platform: 1, upstreamId: 1 } });
    expect(['platform', 'upstreamId'].filter((field) => isDuplicate(error, field))).to.deep.equal(['platform']);
  });

  it('is no other error', () => {
    expect(isDuplicate(Object.assign(new Error('index: username_1'), { code: 112 }), 'username')).to.equal(false);
    expect(isDuplicate(undefined)).to.equal(false);
  });
});
