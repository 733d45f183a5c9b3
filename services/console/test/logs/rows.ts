import { UsageByModel, UsageByPart, UsageHourly, UsageLog, usagePartId } from '@tollgate/db';
import type { TestConsole, Visitor } from '../support/console.ts';

export const hour = 3600;
export const now = Math.floor(Date.now() / 1000);
export const price = {
  kind: 'ratio',
  modelRatio: 1.25,
  completionRatio: 4,
  cacheRatio: 0.5,
  cacheWrite5mRatio: 1,
  cacheWrite1hRatio: 1,
  audioRatio: 1,
  audioCompletionRatio: 2,
  modelPrice: 0,
  groupRatio: 1,
  quotaPerUnit: 500_000,
};
export const usage = {
  textInput: 90,
  cachedInput: 10,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  imageInput: 0,
  textOutput: 20,
  reasoningOutput: 5,
  audioOutput: 0,
};

/** A console, who asks it for logs, and hands that write what it is asked for. */
export type Logs = ReturnType<typeof logsOf>;

interface Call {
  at?: number;
  quota?: number;
  userId?: number;
  username?: string;
  model?: string;
  upstreamModel?: string;
  tokenName?: string;
  tokenId?: number;
  group?: string;
  channelId?: number;
}

type User = Visitor & { username: string };

export function logsOf(tollgate: TestConsole, { user, other, admin }: { user: User; other: User; admin: Visitor }) {
  let number = 0;

  function row({ at = now, userId = user.id, username = user.username, model = 'gpt-4o', ...rest }: Call) {
    number += 1;
    const tokens = { promptTokens: 100, completionTokens: 25, usage, usageSource: 'upstream', endReason: 'complete', price };
    const call = {
      isStream: true,
      durationMs: 1900,
      firstTokenMs: 300,
      channelId: 7,
      channelName: 'seven',
      triedChannels: [3, 7],
      group: 'default',
      quota: 100,
    };
    return {
      _id: `request-${number}`,
      type: 2,
      at: new Date(at * 1000),
      userId,
      username,
      model,
      upstreamModel: model,
      ...tokens,
      ...call,
      ...rest,
    };
  }

  async function call(fields: Call): Promise<void> {
    await UsageLog.create(row(fields));
  }

  async function rollUp({
    at = now,
    quota = 100,
    userId = user.id,
    model = 'gpt-4o',
    tokenId = 1,
    tokenName = '',
    channelId = 7,
    group = 'default',
  }: Call): Promise<void> {
    const begin = new Date(Math.floor(at / hour) * hour * 1000);
    const $inc = { quota, requests: 1, promptTokens: 100, completionTokens: 25 };
    await UsageByModel.updateOne({ _id: `${begin.getTime()}|${model}` }, { $inc, $setOnInsert: { hour: begin, model } }, { upsert: true });
    await UsageHourly.updateOne(
      { _id: `${begin.getTime()}:${userId}:${model}:${channelId}:${tokenId}:${group}` },
      {
        $inc,
        $setOnInsert: { hour: begin, userId, username: 'x', model, channelId, tokenId, tokenName, group },
      },
      { upsert: true },
    );
  }

  async function part({
    at = now,
    quota = 100,
    userId = user.id,
    tokenId = 1,
    tokenName = '',
    channelId = 7,
    group = 'default',
  }: Call): Promise<void> {
    const $inc = { quota, requests: 1, promptTokens: 100, completionTokens: 25 };
    const moment = new Date(at * 1000);
    const dayAt = Math.floor(at / (24 * hour)) * 24 * hour;
    const parts = [
      { _id: usagePartId.group(moment, group), by: 'group', at: Math.floor(at / hour) * hour, group },
      { _id: usagePartId.channel(moment, channelId), by: 'channel', at: dayAt, channelId },
      { _id: usagePartId.token(moment, userId, tokenId), by: 'token', at: dayAt, userId, tokenId },
      { _id: usagePartId.tokenName(moment, tokenName), by: 'tokenName', at: dayAt, tokenName },
    ];
    for (const { _id, at: begin, ...who } of parts) {
      const $setOnInsert = { ...who, at: new Date(begin * 1000) };
      await UsageByPart.updateOne({ _id }, { $inc, $setOnInsert }, { upsert: true });
    }
  }

  return { tollgate, user, other, admin, row, call, rollUp, part };
}
