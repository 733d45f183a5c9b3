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

  it('is no other error', () => {
    expect(isDuplicate(Object.assign(new Error('index: username_1'), { code: 112 }), 'username')).to.equal(false);
    expect(isDuplicate(undefined)).to.equal(false);
  });
});
