import { type Bus, openBus, topics } from '@tollgate/bus';
import { eventually, freshId, usageEvent } from '@tollgate/testing';
import type { HoldOwner, Wallet } from '@tollgate/wallet';
import { expect } from 'chai';
import { agreeingBooks } from './books.ts';

/** Simulates relays: answers calls and knows what each user must have paid in the end. */
export interface AnsweredCalls {
  /** Reserves, reports and publishes `count` calls. `publish: false`: the relay died before publishing. */
  answer(count: number, options?: { publish?: boolean }): Promise<void>;
  /** Publishes some of the calls again, like a relay whose send timed out. */
  publishAgain(count: number): Promise<void>;
  /** Waits until every call is charged exactly once, no hold is left, and all places agree. */
  allChargedOnce(options?: { timeoutMs?: number }): Promise<void>;
  readonly total: number;
  requestIds(): string[];
  close(): Promise<void>;
}

const grant = 1_000_000;

export async function answeredCalls({ url, wallet, users = 20 }: { url: string; wallet: Wallet; users?: number }): Promise<AnsweredCalls> {
  const bus: Bus = await openBus(url);
  const owners: Omit<HoldOwner, 'requestId'>[] = [];
  for (let i = 0; i < users; i++) {
    const owner = { userId: freshId(), tokenId: freshId(), tokenUnlimited: i % 2 === 0 };
    await wallet.post({ id: `grant:${owner.userId}`, userId: owner.userId, amount: grant, reason: 'test' });
    await wallet.openToken({ ...owner, remain: grant });
    owners.push(owner);
  }
  const due = new Map(owners.map(({ userId }) => [userId, 0]));
  const sent: { key: string; json: string }[] = [];
  const requestIds: string[] = [];
  let total = 0;

  async function answerOne(): Promise<{ key: string; json: string }> {
    const owner = owners[total++ % owners.length] as HoldOwner;
    const call = { ...owner, requestId: `call-${freshId()}` };
    requestIds.push(call.requestId);
    const quota = 1 + (total % 97);
    await wallet.reserve({ ...call, amount: 60, deadlineMs: Date.now() + 600_000 });
    const event = usageEvent({ id: call.requestId, userId: call.userId, tokenId: call.tokenId, quota, channelId: total % 5 });
    const { json } = await wallet.report(call, event);
    due.set(call.userId, (due.get(call.userId) ?? 0) + quota);
    return { key: String(call.userId), json };
  }

  return {
    async answer(count, { publish = true } = {}) {
      for (let left = count; left > 0; left -= 100) {
        const messages = await Promise.all(Array.from({ length: Math.min(100, left) }, answerOne));
        if (publish) await bus.publishEncoded(topics.usageRecorded, messages);
        sent.push(...messages);
      }
    },
    async publishAgain(count) {
      await bus.publishEncoded(topics.usageRecorded, sent.slice(-count));
    },
    async allChargedOnce({ timeoutMs = 60_000 } = {}) {
      await eventually(async () => expect(await wallet.counts()).to.deep.equal({ open: 0, reported: 0 }), { timeoutMs, everyMs: 100 });
      for (const [userId, charged] of due) {
        expect(await agreeingBooks(userId)).to.include({ charged, balance: grant - charged });
      }
    },
    get total() {
      return total;
    },
    requestIds: () => requestIds,
    close: () => bus.close(),
  };
}
