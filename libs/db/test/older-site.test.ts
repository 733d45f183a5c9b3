import { engines } from '@tollgate/testing';
import { expect } from 'chai';
import { Channel } from '../src/channel.ts';
import { connectDatabase, disconnectDatabase } from '../src/connect.ts';
import { Redemption } from '../src/redemption.ts';
import { User } from '../src/user.ts';

/** The indexes of searches and lists, in a database filled by the previous release. */
describe('a site of the release before', function () {
  this.timeout(60_000);
  before(async () => connectDatabase((await engines()).mongodbUri()));
  after(async () => {
    await User.deleteMany({});
    await disconnectDatabase();
  });

  it('gets its new indexes from several processes that start at once, while others write, and loses nothing', async () => {
    const newer = [
      [User, 'id_1_username_1_displayName_1_email_1'],
      [Redemption, 'deletedAt_1_id_1_name_1'],
      [Channel, 'tag_1_priority_-1_id_-1'],
    ] as const;
    for (const [model, name] of newer) await model.collection.dropIndex(name);
    await Redemption.collection.createIndex({ deletedAt: 1, id: -1 });
    await Channel.collection.createIndex({ tag: 1 });
    const person = (id: number) => ({ id, username: `person-${id}`, displayName: '', affCode: `older-${id}`, createdAt: new Date() });
    await User.insertMany(Array.from({ length: 3000 }, (_, index) => person(index + 1)));

    let building = true;
    const writing = (async () => {
      let next = 3001;
      for (; building || next === 3001; next += 1) {
        await User.create(person(next));
        await User.updateOne({ id: next - 3000 }, { $set: { displayName: 'Renamed' } });
        await User.deleteOne({ id: next - 1500 });
      }
      return next - 3001;
    })();
    await Promise.all([...newer, ...newer].map(([model]) => model.createIndexes()));
    building = false;
    const written = await writing;

    for (const [model, name] of newer) expect((await model.collection.indexes()).filter((index) => index.name === name)).to.have.length(1);
    expect(await User.countDocuments({ username: /^PERSON-/i })).to.equal(3000);
    const renamed = await User.find({ $or: [{ username: /renamed/i }, { displayName: /RENAMED/i }] })
      .sort({ id: 1 })
      .lean();
    const expected = await User.find({}).select('id displayName').sort({ _id: 1 }).lean();
    expect(renamed.map(({ id }) => id)).to.deep.equal(
      expected
        .filter(({ displayName }) => displayName === 'Renamed')
        .map(({ id }) => id)
        .sort((a, b) => a - b),
    );
    expect(renamed).to.have.length.within(1, written);
  });
});
