import {
  eventually,
  everyRound,
  faultRounds,
  orSkip,
  rootSession,
  type ServiceProcess,
  skipBecause,
  startService,
} from '@tollgate/testing';
import { expect } from 'chai';
import { askAt } from './support/ask.ts';
import { expectSettled } from './support/books.ts';
import { type Gateway, startGateway, untilServed } from './support/gateway.ts';
import { lastRelease, type Release } from './support/last-release.ts';
import { startBillingProcess } from './support/processes.ts';

const granted = 1_000_000;

/** While an upgrade is under way, and after one that was taken back: the release before as it was, by its own sources. Only in `npm run test:faults`. */
describe('Two releases side by side', function () {
  this.timeout(120_000 * faultRounds);
  let old: Release;

  before(async function () {
    if (faultRounds === 1) skipBecause(this, 'builds the last release, which takes minutes: only npm run test:faults does');
    old = await orSkip(this, lastRelease);
  });
  after(() => old?.remove());

  for (const [title, relayIsOld, billingIsOld] of [
    ['its relay, and a billing of today', true, false],
    ['a relay of today, and its billing', false, true],
  ] as const) {
    describe(title, () => {
      let gateway: Gateway;
      let billing: ServiceProcess;
      let relay: ServiceProcess;

      before(async () => {
        gateway = await startGateway({ RELAY_HOLD_MS: '2000' });
        await gateway.channel();
        billing = await startBillingProcess(gateway.env, { services: billingIsOld ? old.services : undefined });
      });
      after(async () => {
        await billing?.stop();
        await gateway?.stop();
      });
      beforeEach(async () => {
        relay = await startService('relay', gateway.env, { services: relayIsOld ? old.services : undefined });
      });
      afterEach(() => relay?.kill9());

      it('charge each call once: whole ones, streams, those whose caller left, and both relays’ at a time', async () => {
        await everyRound(async () => {
          gateway.provider.reset();
          const user = await gateway.user({ balance: granted, token: { remain: granted } });
          await untilServed(gateway, user.token);
          const ask = (at: number) => askAt(at % 2 === 0 ? relay.url : gateway.url, user.token.authorization, { stream: at % 3 === 0 });
          const answers = await Promise.all(Array.from({ length: 24 }, (_, at) => ask(at)));
          expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
          await Promise.all(answers.map((answer) => answer.text()));
          gateway.provider.answersNext({ words: 50, paceMs: 50 });
          const left = await ask(0);
          await left.body?.getReader().read();
          await left.body?.cancel().catch(() => undefined);
          await eventually(() => expectSettled(gateway, user, { calls: 25, granted }), { timeoutMs: 60_000 });
        });
      });

      it('charge what was delivered when the relay dies', async () => {
        gateway.provider.reset();
        const user = await gateway.user({ balance: granted });
        await untilServed(gateway, user.token);
        gateway.provider.answersNext({ words: 200, paceMs: 20 });
        const reader = (await askAt(relay.url, user.token.authorization, { stream: true })).body?.getReader();
        for (let pieces = 0; pieces < 5; pieces += 1) await reader?.read();
        await relay.kill9();
        await eventually(() => expectSettled(gateway, user, { calls: 1, granted }), { timeoutMs: 60_000 });
      });
    });
  }

  for (const [title, billingIsOld] of [
    ['a billing of today', false],
    ['its billing', true],
  ] as const) {
    describe(`its console and its relay beside those of today, and ${title}`, () => {
      let gateway: Gateway;
      const processes: ServiceProcess[] = [];
      let [oldRelay, oldConsole, newConsole]: ServiceProcess[] = [];

      before(async () => {
        gateway = await startGateway({ RELAY_HOLD_MS: '2000' });
        const started = async (process: Promise<ServiceProcess>) => {
          processes.push(await process);
          return processes.at(-1);
        };
        oldConsole = await started(startService('console', gateway.env, old)); // as in an upgrade: it was there before
        newConsole = await started(startService('console', gateway.env));
        await started(startBillingProcess(gateway.env, { services: billingIsOld ? old.services : undefined }));
        oldRelay = await started(startService('relay', gateway.env, old));
      });
      after(async () => {
        for (const process of processes) await process.kill9();
        await gateway?.stop();
      });

      it('serve and charge what either console sets, show the same at both, and know each other’s sessions', async () => {
        await everyRound(async (round) => {
          gateway.provider.reset();
          const consoles = [oldConsole?.url ?? '', newConsole?.url ?? ''];
          const relays = [oldRelay?.url ?? '', gateway.url];
          for (const [at, address] of consoles.entries()) {
            const other = consoles[1 - at] ?? '';
            const root = await rootSession(address);
            const [model, name] = [`made-by-${at}-${round}`, `token-${at}-${round}`];
            const { balance } = await gateway.wallet.balance(root.userId);
            const channel = { name, type: 1, key: 'key', base_url: gateway.provider.url, models: model, group: 'default' };
            await root.call('/api/channel/', { method: 'POST', body: channel });
            const prices = await root.call<{ key: string; value: string }[]>('/api/option/');
            const ratios = JSON.parse(prices.find(({ key }) => key === 'ModelRatio')?.value ?? '{}');
            await root.call('/api/option/', {
              method: 'PUT',
              body: { key: 'ModelRatio', value: JSON.stringify({ ...ratios, [model]: 1 }) },
            });
            await root.call('/api/token/', { method: 'POST', body: { name, unlimited_quota: true }, address: other });
            await root.call('/api/user/', { method: 'PUT', body: { id: root.userId, add_quota: granted } });
            const tokens = await root.call<{ items: { name: string; key: string }[] }>('/api/token/?p=1&page_size=10');
            const key = `Bearer sk-${tokens.items.find((token) => token.name === name)?.key}`;
            for (const relay of relays)
              await eventually(async () => {
                const answer = await askAt(relay, key, { model });
                expect(answer.status, await answer.text()).to.equal(200);
              });
            const shown = async (where: string) => {
              const { items } = await root.call<{ items: { quota: number }[] }>(`/api/log/?p=1&page_size=10&type=2&model_name=${model}`, {
                address: where,
              });
              return items.map(({ quota }) => quota);
            };
            await eventually(async () => expect(await shown(address)).to.have.length(relays.length), { timeoutMs: 60_000 });
            expect(await shown(other)).to.deep.equal(await shown(address));
            const spent = (await shown(other)).reduce((sum, quota) => sum + quota, 0);
            expect((await gateway.wallet.balance(root.userId)).balance).to.equal(balance + granted - spent);
          }
        });
      });
    });
  }
});
