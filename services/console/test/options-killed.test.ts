import { role } from '@tollgate/contracts';
import { OptionModel, User } from '@tollgate/db';
import type { ServiceProcess } from '@tollgate/testing';
import { expect } from 'chai';
import { startTaskSite, type TaskSite } from './support/task-site.ts';

describe('Options that are saved together', function () {
  this.timeout(120_000);
  let site: TaskSite;
  before(async () => {
    site = await startTaskSite('redis');
  });
  after(() => site?.stop());

  it('are all there, or none of them, when the console dies while it saves them', async () => {
    const root = await site.drawer(0);
    await User.updateOne({ id: root.id }, { $set: { role: role.root } });
    const options = [
      { key: 'QuotaForInvitee', value: '11' },
      { key: 'QuotaForInviter', value: '12' },
      { key: 'QuotaForNewUser', value: '13' },
    ];
    const keys = options.map(({ key }) => key);
    const save = (console: ServiceProcess) =>
      fetch(`${console.url}/api/option/batch`, {
        method: 'PUT',
        headers: { authorization: root.authorization, 'new-api-user': String(root.id), 'content-type': 'application/json' },
        body: JSON.stringify({ options }),
      });
    const stored = () => OptionModel.countDocuments({ _id: { $in: keys } });

    const dying = await site.start('console', { proxied: true });
    const isLastWrite = (bytes: Buffer) =>
      ['insert\0', 'update\0'].some((command) => bytes.includes(command)) &&
      ['options\0', keys.at(-1) ?? ''].every((name) => bytes.includes(name));
    const stopped = site.toStore.silenceLineAt(isLastWrite);
    const answered = save(dying).then(
      ({ status }) => status,
      () => 'cut',
    );
    expect(await Promise.race([stopped, answered])).to.equal(undefined);
    await dying.kill9();
    expect(await stored()).to.equal(0);

    const successor = await site.start('console');
    expect((await save(successor)).status).to.equal(200);
    expect(await stored()).to.equal(keys.length);
    await successor.kill9();
  });
});
