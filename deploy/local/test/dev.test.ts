import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { repository } from '../supervisor/settings.ts';
import { type Command, type Installation, installation } from './tollgate.ts';

describe('npm run dev', function () {
  this.timeout(240_000);
  let here: Installation;
  let running: Command;
  let pages: string;

  before(async () => {
    here = await installation();
    running = here.run(['dev'], { env: { WEB_PORT: '0' } });
    await eventually(() => expect(running.output()).to.contain('Pages with hot reload: http'), { timeoutMs: 180_000 });
    pages = /Pages with hot reload: (http\S+?)\/?\s/.exec(running.output())?.[1] ?? '';
  });
  after(() => here.remove());

  it('serves pages with hot reload, signs in through them and saves', async () => {
    expect(await (await fetch(`${pages}/src/main.tsx`)).text()).to.contain('import.meta.hot');
    const send = (path: string, method: string, { body, headers }: { body: object; headers?: Record<string, string> }) =>
      fetch(`${pages}${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          origin: pages,
          'sec-fetch-site': 'same-origin',
          'sec-fetch-dest': 'empty',
          ...headers,
        },
        body: JSON.stringify(body),
      });
    const login = await send('/api/user/login', 'POST', { body: { username: 'root', password: '123456' } });
    const cookie = login.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    const headers = { cookie, 'new-api-user': '1' };
    const saved = await send('/api/user/self', 'PUT', { body: { display_name: 'Developer' }, headers });
    expect(await saved.json()).to.include({ success: true });
    const self = (await (await fetch(`${pages}/api/user/self`, { headers })).json()) as { data: { display_name: string } };
    expect(self.data.display_name).to.equal('Developer');
  });

  it('restarts a service when one of its sources changes', async () => {
    const former = here.pidOf('billing');
    const now = new Date();
    utimesSync(join(repository, 'services/billing/src/main.ts'), now, now);
    await eventually(() => expect(running.output()).to.contain('services/billing/src/main.ts changed: restarting billing'));
    await eventually(
      () => {
        const record = here.state().processes.find(({ name }) => name === 'billing');
        expect(record).to.include({ state: 'ready' });
        expect(record?.pid).not.to.equal(former);
      },
      { timeoutMs: 60_000 },
    );
  });
});
