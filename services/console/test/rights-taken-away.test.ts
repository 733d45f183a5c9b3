import { role } from '@tollgate/contracts';
import { Channel, Token, User } from '@tollgate/db';
import { eventually, type FakeProvider, type ServiceProcess, startFakeProvider } from '@tollgate/testing';
import { expect } from 'chai';
import { cookieOf } from './support/console.ts';
import { type Drawer, startTaskSite, type TaskSite } from './support/task-site.ts';

const password = 'correct horse';
const self = '/api/user/self';

/** Somebody who is signed in, with a token and a channel that only he asks. */
interface Subject extends Drawer {
  headers: Record<string, string>;
  channelId: number;
  model: string;
}

interface Deed {
  what: string;
  isAdmin?: boolean;
  /** By the first console. */
  done(subject: Subject): Promise<unknown>;
  /** What is stored by it, for when it is told to nobody. */
  stored?(subject: Subject): Promise<unknown>;
  /** A question to a console that it ends. */
  page?: string;
  /** What a token is written as that it ends. */
  key?(subject: Subject): string;
}

describe('What takes a right away', function () {
  this.timeout(120_000);
  let site: TaskSite;
  let provider: FakeProvider;
  let root: Drawer;
  let consoles: ServiceProcess[];
  let relays: ServiceProcess[];

  before(async () => {
    site = await startTaskSite('redis');
    provider = await startFakeProvider();
    root = await site.drawer(0);
    await User.updateOne({ id: root.id }, { $set: { role: role.root } });
    consoles = [await site.start('console'), await site.start('console')];
    relays = [await site.start('relay'), await site.start('relay')];
    await byFirst('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' }); // models without a price are served
  });
  after(async () => {
    await site?.stop();
    await provider?.close();
  });

  const asRoot = () => ({ authorization: root.authorization, 'new-api-user': String(root.id) });
  async function send(service: ServiceProcess | undefined, method: string, path: string, headers: Record<string, string>, body?: object) {
    const answer = await fetch(`${service?.url}${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { success, message } = (await answer.json()) as { success: boolean; message: string };
    return { success, message, cookie: cookieOf(answer.headers) ?? '' };
  }
  async function byFirst(method: string, path: string, body?: object, headers: Record<string, string> = asRoot()): Promise<void> {
    const { success, message } = await send(consoles[0], method, path, headers, body);
    expect(success, message).to.equal(true);
  }
  const manage = (action: string) => (subject: Subject) => byFirst('POST', '/api/user/manage', { id: subject.id, action });
  const whole = ({ authorization }: Subject) => authorization;

  const deeds: Deed[] = [
    {
      what: 'a ban',
      done: manage('disable'),
      stored: ({ id }) => User.updateOne({ id }, { $set: { status: 2 } }),
      page: self,
      key: whole,
    },
    {
      what: 'a demotion',
      isAdmin: true,
      done: manage('demote'),
      stored: ({ id }) => User.updateOne({ id }, { $set: { role: role.user } }),
      page: '/api/user/',
      key: ({ authorization, channelId }) => `${authorization}-${channelId}`, // an administrator chooses his channel
    },
    {
      what: 'a new password',
      done: ({ headers }) => byFirst('PUT', self, { password: 'another password', original_password: password }, headers),
      page: self,
    },
    { what: 'signing out', done: ({ headers }) => byFirst('GET', '/api/user/logout', undefined, headers), page: self },
    {
      what: 'the deletion of a token',
      done: ({ headers, tokenId }) => byFirst('DELETE', `/api/token/${tokenId}`, undefined, headers),
      stored: ({ tokenId }) => Token.updateOne({ id: tokenId }, { $set: { deletedAt: new Date() } }),
      key: whole,
    },
    {
      what: 'switching a channel off',
      done: ({ channelId }) => byFirst('PUT', '/api/channel/', { id: channelId, status: 2 }),
      stored: ({ channelId }) => Channel.updateOne({ id: channelId }, { $set: { status: 2 } }),
      key: whole,
    },
  ];

  /** With all that the deed ends known to every process. */
  async function subjectOf({ isAdmin = false, page, key }: Deed): Promise<Subject> {
    const drawer = await site.drawer(1_000_000_000);
    const [channelId = 0] = await site.channels([provider.url]);
    const model = `model-${channelId}`;
    await Channel.updateOne({ id: channelId }, { $set: { type: 1, models: [model] } });
    await byFirst('PUT', '/api/channel/', { id: channelId, priority: 1 }); // tells the relays
    if (isAdmin) await byFirst('POST', '/api/user/manage', { id: drawer.id, action: 'promote' });
    await byFirst('PUT', '/api/user/', { id: drawer.id, password });
    const { cookie, message } = await send(consoles[0], 'POST', '/api/user/login', {}, { username: `drawer-${drawer.id}`, password });
    const subject = { ...drawer, headers: { cookie, 'new-api-user': String(drawer.id) }, channelId, model };
    for (const each of consoles) expect(await look(each, subject, page ?? self), message).to.equal(true);
    if (key)
      for (const each of relays) await eventually(async () => expect(await call(each, subject, key)).to.equal(200), { timeoutMs: 20_000 });
    return subject;
  }
  const look = async (service: ServiceProcess, { headers }: Subject, page: string) => (await send(service, 'GET', page, headers)).success;
  async function call({ url }: ServiceProcess, subject: Subject, key: NonNullable<Deed['key']>): Promise<number> {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: key(subject) },
      body: JSON.stringify({ model: subject.model, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    await answer.arrayBuffer();
    return answer.status;
  }
  /** No call that begins later than this after the deed is answered, however long answers take. */
  async function untilRefused(
    ask: () => Promise<number>,
    { sinceMs, withinMs, what }: { sinceMs: number; withinMs: number; what: string },
  ) {
    for (;;) {
      const beganMs = performance.now();
      const status = await ask();
      if (status !== 200) {
        expect(status, what).to.be.oneOf([401, 403, 404, 503]);
        return;
      }
      expect(beganMs - sinceMs, what).to.be.below(withinMs);
    }
  }

  for (const deed of deeds) {
    const known = [deed.page && 'at once to each console', deed.key && 'within a second to each relay'].filter(Boolean).join(', and ');
    it(`${deed.what}: is known ${known}`, async () => {
      const subject = await subjectOf(deed);
      await deed.done(subject);
      const sinceMs = performance.now();
      const { page, key } = deed;
      if (page) for (const each of consoles) expect(await look(each, subject, page), each.url).to.equal(false);
      if (key)
        await Promise.all(
          relays.map((relay) => untilRefused(() => call(relay, subject, key), { sinceMs, withinMs: 1_000, what: deed.what })),
        );
    });
  }

  it('is known within two seconds to each relay when the notice of it is lost', async () => {
    const lost = deeds.filter(({ stored }) => stored !== undefined);
    const subjects = await Promise.all(lost.map(subjectOf));
    await Promise.all(lost.map(({ stored }, at) => stored?.(subjects[at] as Subject)));
    await site.redis.incr('config:version'); // told, and heard by nobody
    const sinceMs = performance.now();
    await Promise.all(
      lost.flatMap(({ what, key }, at) =>
        relays.map((relay) => untilRefused(() => call(relay, subjects[at] as Subject, key ?? whole), { sinceMs, withinMs: 2_000, what })),
      ),
    );
  });
});
