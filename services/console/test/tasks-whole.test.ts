import { nextId, rows, type TaskRow, Token, User } from '@tollgate/db';
import {
  eventually,
  everyRound,
  type FakeTaskProvider,
  faultRounds,
  orSkip,
  type ServiceProcess,
  startFakeTaskProvider,
} from '@tollgate/testing';
import { expect } from 'chai';
import { noteRefunds } from '../src/task-sync/note-refunds.ts';
import { syncTasks } from '../src/task-sync/sync-tasks.ts';
import { booksOf, type Drawer, paidFor, price, startTaskSite, type TaskSite } from './support/task-site.ts';

const buses = faultRounds > 1 ? (['redis', 'kafka'] as const) : (['redis'] as const);
const picture = 'https://cdn.example.com/1.png';
const granted = 1_000_000_000;
const signal = new AbortController().signal;

for (const bus of buses) {
  describe(`Tasks, from the call to their ends, on ${bus === 'redis' ? 'Redis Streams' : 'Kafka'}`, function () {
    this.timeout(90_000 * faultRounds);
    let site: TaskSite;
    let relay: ServiceProcess;
    let billing: ServiceProcess;
    let consoleService: ServiceProcess;
    let drawer: Drawer;
    const providers: FakeTaskProvider[] = [];
    let channels: number[];

    before(async function () {
      this.timeout(120_000);
      site = await orSkip(this, () => startTaskSite(bus));
      for (let each = 0; each < 20; each += 1) providers.push(await startFakeTaskProvider());
      channels = await site.channels(providers.map(({ url }) => url));
      [relay, billing] = await Promise.all([site.start('relay'), site.start('billing')]);
    });
    after(async () => {
      await site?.stop();
      for (const provider of providers) await provider.close();
    });

    const sync = async () => {
      await syncTasks(site.context, 'drawing', signal);
      await noteRefunds(site.context);
    };
    const settled = async () => {
      expect(await site.wallet.counts()).to.deep.equal({ open: 0, reported: 0 });
    };
    /** As if an hour had passed over what is open. */
    const hourPasses = () => rows.tasks().updateMany({ isOpen: true }, { $set: { at: new Date(Date.now() - 61 * 60_000) } });
    const refundsDue = () => rows.tasks().countDocuments({ refund: 'due' });

    it('1 000 of them over 20 channels that fail, stall, lie and die: every one ends, what is paid is what was drawn', async () => {
      const drawers = await Promise.all(Array.from({ length: 10 }, () => site.drawer(granted)));
      const taken = new Map<Drawer, number>(drawers.map((drawer) => [drawer, 0]));
      for (let round = 0; round < 20; round += 1) {
        const answers = await Promise.all(drawers.flatMap((drawer) => Array.from({ length: 5 }, () => site.imagine(relay, drawer))));
        answers.forEach((answer, i) => {
          expect(answer).to.include({ status: 200, code: 1 });
          const drawer = drawers[Math.floor(i / 5)] as Drawer;
          taken.set(drawer, (taken.get(drawer) ?? 0) + 1);
        });
      }
      expect(await rows.tasks().countDocuments({ isOpen: true })).to.equal(1_000);
      const ends: ((provider: FakeTaskProvider) => void | Promise<void>)[] = [
        (provider) => provider.ends(() => ({ status: 'SUCCESS', progress: '100%', imageUrl: picture })),
        (provider) => provider.ends(() => ({ status: 'FAILURE', progress: '30%', failReason: 'Blocked' })),
        (provider) => provider.ends(() => ({ status: 'IN_PROGRESS', progress: '99%' })), // for ever
        (provider) => provider.ends(() => ({ status: 'SUCCESS', progress: '100%', imageUrl: '' })), // nothing to see
        (provider) => provider.tasks.clear(), // never heard of them
        (provider) => provider.answers(() => ({ body: '{"no":"list"}' })),
        (provider) => provider.answers(() => 'cut'),
        (provider) => provider.ends((task) => ({ status: Number(task.id) % 2 === 0 ? 'SUCCESS' : 'NOT_START', imageUrl: picture })),
      ];
      await sync();
      await Promise.all(providers.map((provider, i) => ends[i % ends.length]?.(provider)));
      await sync();
      await hourPasses();
      await sync();
      expect(await rows.tasks().countDocuments({ isOpen: true })).to.equal(0);
      await eventually(
        async () => {
          await settled();
          await noteRefunds(site.context);
          expect(await refundsDue()).to.equal(0);
        },
        { timeoutMs: 60_000, everyMs: 200 },
      );
      let failed = 0;
      for (const drawer of drawers) {
        const drawn = await rows.tasks().countDocuments({ userId: drawer.id, status: 'SUCCESS' });
        const lost = await rows.tasks().countDocuments({ userId: drawer.id, status: 'FAILURE', refund: 'done' });
        expect(drawn + lost).to.equal(taken.get(drawer));
        failed += lost;
        await eventually(async () => expect(await paidFor(drawer)).to.deep.equal(booksOf(granted, drawn * price)));
      }
      expect(failed).to.be.within(500, 900);
      for (const provider of providers) provider.reset();
    });

    /** As if the provider of the drawer's task had called. */
    const hint = async (upstreamId = '') => {
      const { _id } = (await row()) as { _id: string };
      await site.redis.del(`task:hint:${_id}`);
      await site.redis.publish('task:hints', JSON.stringify({ taskId: _id, upstreamId }));
    };
    const row = () => rows.tasks().findOne({ userId: drawer.id });

    it('one that fails is seen to by its owner as it goes, without asking for what he knows, and its price comes back', async () => {
      consoleService = await site.start('console');
      drawer = await site.drawer(granted);
      const headers = { authorization: drawer.authorization, 'new-api-user': String(drawer.id) };
      const ask = async (path: string, known = '') => {
        const answer = await fetch(consoleService.url + path, { headers: { ...headers, 'if-none-match': known } });
        const text = await answer.text();
        return { status: answer.status, tag: answer.headers.get('etag') ?? '', data: text === '' ? undefined : JSON.parse(text).data };
      };
      const quota = async () => (await ask('/api/user/self')).data.quota as number;
      let tag = '';
      /** What the list says once it is another than before; while nothing moved it costs nothing. */
      const moved = () =>
        eventually(
          async () => {
            const next = await ask('/api/mj/self', tag);
            if (next.status === 304) throw new Error('nothing has moved');
            tag = next.tag;
            return next.data.items[0] as Record<string, unknown>;
          },
          { timeoutMs: 30_000 },
        );
      expect(await site.imagine(relay, drawer)).to.include({ code: 1 });
      expect(await moved()).to.include({ status: 'SUBMITTED', quota: price });
      await eventually(async () => expect(await quota()).to.equal(granted - price), { timeoutMs: 30_000 });
      for (const provider of providers) provider.ends(() => ({ status: 'IN_PROGRESS', progress: '40%' }));
      await hint();
      expect(await moved()).to.include({ status: 'IN_PROGRESS', progress: '40%' });
      expect(await ask('/api/mj/self', tag)).to.include({ status: 304, data: undefined });
      for (const provider of providers) provider.ends(() => ({ status: 'FAILURE', failReason: 'Blocked' }));
      await hint();
      expect(await moved()).to.include({ status: 'FAILURE', fail_reason: 'Blocked' });
      await eventually(async () => expect(await quota()).to.equal(granted), { timeoutMs: 30_000 });
      const { items } = (await ask('/api/log/self?type=4')).data as { items: { quota: number }[] };
      expect(items.map((item) => item.quota)).to.deep.equal([-price]);
    });

    const draws = (service: ServiceProcess) => site.imagine(service, drawer).catch(() => undefined);
    /** Waits until the drawer has paid for so many pictures, and his task stands so. */
    const ended = (status: string, pictures: number) =>
      eventually(
        async () => {
          await noteRefunds(site.context);
          await settled();
          expect(await row()).to.include({ status });
          expect(await refundsDue()).to.equal(0);
          expect(await paidFor(drawer)).to.deep.equal(booksOf(granted, pictures * price));
        },
        { timeoutMs: 60_000, everyMs: 100 },
      );
    const fails = async () => {
      for (const provider of providers) provider.ends(() => ({ status: 'FAILURE', failReason: 'Blocked' }));
      await sync();
    };
    const succeeds = async () => {
      for (const provider of providers) provider.ends(() => ({ status: 'SUCCESS', imageUrl: picture }));
      await sync();
    };

    it('one whose owner and token are deleted before it fails: its price goes back where it came from', async () => {
      drawer = await site.drawer(granted);
      expect(await draws(relay)).to.include({ code: 1 });
      await eventually(async () => expect(await paidFor(drawer)).to.deep.equal(booksOf(granted, price)), { timeoutMs: 30_000 });
      const deletedAt = new Date();
      await Promise.all([User.updateOne({ id: drawer.id }, { deletedAt }), Token.updateOne({ id: drawer.tokenId }, { deletedAt })]);
      await fails();
      await ended('FAILURE', 0);
    });

    describe('killed', () => {
      before(async () => {
        consoleService ??= await site.start('console');
      });

      /** A relay goes to a point of a submission and dies there. */
      async function relayDies(point: (dying: ServiceProcess) => Promise<unknown>): Promise<void> {
        drawer = await site.drawer(granted);
        const dying = await site.start('relay', { proxied: true });
        await point(dying);
        await dying.kill9();
        site.heal();
        for (const provider of providers) provider.answers(undefined);
        await eventually(settled, { timeoutMs: 30_000, everyMs: 100 });
      }
      const isEvent = (bytes: Buffer) => bytes.includes('"mode":"drawing"');
      const isNote = (bytes: Buffer) => bytes.includes('upstreamId') && bytes.includes('update\0');

      it('the relay, with its provider asked and no answer: the task fails by its age, and costs nothing', () =>
        everyRound(async () => {
          await relayDies(async (dying) => {
            for (const provider of providers) provider.answers(() => 'hang');
            const asked = providers.reduce((sum, provider) => sum + provider.asked.length, 0);
            void draws(dying);
            await eventually(() => expect(providers.reduce((sum, provider) => sum + provider.asked.length, 0)).to.be.above(asked));
          });
          expect(await row()).to.include({ status: '', isOpen: true });
          await hourPasses();
          await sync();
          await ended('FAILURE', 0);
        }));

      it('the relay, between the yes and its row: a callback names the task, which goes on and is paid once', () =>
        everyRound(async () => {
          await relayDies(async (dying) => {
            const held = site.toStore.holdBefore(isNote);
            void draws(dying);
            await held;
          });
          const names = providers.flatMap(({ tasks }) => [...tasks.keys()]);
          const known = await rows.tasks().distinct('upstreamId', { upstreamId: { $in: names } });
          const [orphan, ...more] = names.filter((name) => !known.includes(name));
          expect(more).to.deep.equal([]);
          await hint(orphan);
          await eventually(async () => expect(await row()).to.have.property('upstreamId'));
          await succeeds();
          await ended('SUCCESS', 1);
        }));

      it('the relay, with a task that its caller has already and before the hold is gone: what is charged for it comes back', () =>
        everyRound(async () => {
          await relayDies(async (dying) => {
            const { result } = (await draws(relay)) ?? {};
            const first = (await row()) as TaskRow;
            // Whichever channel is asked, the caller has a task of that name from it.
            for (const channelId of channels.filter((id) => id !== first.channelId)) {
              const { isOpen: _, ...fields } = first;
              await rows
                .tasks()
                .insertOne({ ...fields, _id: `${first._id}-${channelId}`, id: await nextId('tasks'), channelId, status: 'SUCCESS' });
            }
            for (const provider of providers)
              provider.answers(() => ({ body: { code: 21, description: 'It exists', result, properties: {} } }));
            let isNoted = false;
            void site.toStore.holdBefore((bytes) => {
              isNoted ||= isNote(bytes);
              return false;
            });
            const held = site.toRedis.holdBefore((bytes) => isNoted && bytes.includes(`:hold:${drawer.id}:`));
            void draws(dying);
            await held;
          });
          await succeeds();
          await hourPasses();
          await sync();
          const twice = await rows.tasks().findOne({ userId: drawer.id, status: 'FAILURE' });
          expect(twice).to.include({ quota: price }).and.not.to.have.property('upstreamId');
          await eventually(
            async () => {
              await noteRefunds(site.context);
              await settled();
              expect(await refundsDue()).to.equal(0);
              expect(await paidFor(drawer)).to.deep.equal(booksOf(granted, price));
            },
            { timeoutMs: 60_000, everyMs: 100 },
          );
        }));

      it('the relay, with its row noted and before the report: the task goes on and is paid once', () =>
        everyRound(async () => {
          await relayDies(async (dying) => {
            let events = 0;
            const held = site.toRedis.holdBefore((bytes) => {
              if (isEvent(bytes)) events += 1;
              return events === 2; // the first one foretells it
            });
            void draws(dying);
            await held;
          });
          expect(await row()).to.include({ status: 'SUBMITTED' });
          await succeeds();
          await ended('SUCCESS', 1);
        }));

      it('the relay, with the bill reported and before it is published; the task then fails, before or after it is charged', () =>
        everyRound(async () => {
          await relayDies(async (dying) => {
            site.toBus.blackHole();
            expect(await draws(dying)).to.include({ code: 1 });
            await fails();
            await site.wallet
              .due(Date.now() + 3_600_000, 100)
              .then((holds) => Promise.all(holds.map((hold) => site.wallet.republished(hold, Date.now()))));
          });
          await ended('FAILURE', 0);
        }));

      it('the console, with the failure asked for and before its row says so: another one ends it', () =>
        everyRound(async () => {
          drawer = await site.drawer(granted);
          await consoleService.kill9();
          const dying = await site.start('console', { proxied: true });
          expect(await draws(relay)).to.include({ code: 1 });
          for (const provider of providers) provider.ends(() => ({ status: 'FAILURE', failReason: 'Blocked' }));
          const held = site.toStore.holdBefore((bytes) => bytes.includes('Blocked'));
          await eventually(() => hint());
          await held;
          await dying.kill9();
          site.heal();
          expect(await row()).to.include({ isOpen: true });
          consoleService = await site.start('console');
          await hint();
          await ended('FAILURE', 0);
        }));

      it('billing, with the refund in the log and before the wallet: given back once', () =>
        everyRound(async () => {
          drawer = await site.drawer(granted);
          expect(await draws(relay)).to.include({ code: 1 });
          await eventually(settled);
          await billing.kill9();
          await site.endLeases();
          const dying = await site.start('billing', { proxied: true });
          const held = site.toStore.holdBefore(
            (bytes) => bytes.includes('wallets') && bytes.includes('usedQuota') && bytes.includes('update\0'),
          );
          await fails();
          await held;
          expect(await paidFor(drawer)).to.include({ balance: granted - price, log: 0 });
          await dying.kill9();
          site.heal();
          await site.endLeases();
          billing = await site.start('billing');
          await ended('FAILURE', 0);
        }));
    });
  });
}
