import { createHash } from 'node:crypto';
import {
  AuditLog,
  Channel,
  ChannelUsage,
  configureSealing,
  connectDatabase,
  disconnectDatabase,
  nameKeyOf,
  Order,
  Redemption,
  seal,
  sealedDigest,
  Task,
  Token,
  TokenWalletModel,
  UsageByModel,
  UsageByPart,
  UsageHourly,
  UsageLog,
  User,
  WalletModel,
} from '@tollgate/db';
import mongoose from 'mongoose';
import { dice, logRow, nameOf, type Volume, volumeModels } from './logs.ts';
import { type RollUpRows, rollingUp } from './roll-ups.ts';

const batch = 1000;
const orders = 50_000;
const codes = 50_000;
const audits = 200_000;
const drawings = 200_000;
const dayMs = 24 * 3_600_000;

interface Collection {
  insertMany(documents: never[], options: { ordered: false }): Promise<unknown>;
}

export const volumeDays = 30;

/**
 * Fills the database of an installation that root has signed in to, as a site of this size would have left it after a month; of logs and roll-ups the first day only,
 * which `repeatDay` makes a month of.
 */
export async function fillVolume(
  uri: string,
  volume: Volume,
  { masterKey, untilMs }: { masterKey: string; untilMs: number },
): Promise<void> {
  configureSealing(Buffer.from(masterKey, 'base64'));
  await connectDatabase(uri);
  await people(volume, untilMs);
  await channels(volume, untilMs);
  await rest(volume, untilMs);
  await logs(volume, untilMs);
  await disconnectDatabase();
}

async function logs(volume: Volume, untilMs: number): Promise<void> {
  const random = dice(1);
  const rollUps = rollingUp();
  const writing: Promise<unknown>[] = [];
  const write = async (collection: Collection, documents: object[]): Promise<void> => {
    for (let from = 0; from < documents.length; from += batch) {
      if (writing.length >= 4) await writing.shift();
      writing.push(collection.insertMany(documents.slice(from, from + batch) as never[], { ordered: false }));
    }
  };
  const writeRollUps = async ({ hourly, byModel, byPart }: RollUpRows): Promise<void> => {
    await write(UsageHourly.collection as never, hourly);
    await write(UsageByModel.collection as never, byModel);
    await write(UsageByPart.collection as never, byPart);
  };
  let waiting: object[] = [];
  for (let index = 0; index < logsOfDay(volume); index += 1) {
    const row = logRow(index, volume, { untilMs, random });
    const ended = rollUps.add(row);
    if (ended) await writeRollUps(ended);
    waiting.push(row);
    if (waiting.length < batch) continue;
    await write(UsageLog.collection as never, waiting);
    waiting = [];
  }
  await write(UsageLog.collection as never, waiting);
  await writeRollUps(rollUps.rest());
  await Promise.all(writing);
}

export function logsOfDay({ logs }: Volume): number {
  return Math.floor(logs / volumeDays);
}

/** Users and tokens, with their wallets. Root (user 1) is there already. */
async function people({ users, tokens }: Volume, nowMs: number): Promise<void> {
  await many(users - 1, User.collection as never, (index) => {
    const id = index + 2;
    return {
      id,
      username: nameOf(id),
      nameKey: nameKeyOf(nameOf(id)),
      displayName: `Person ${id}`,
      role: id % 10_000 === 0 ? 10 : 1,
      status: id % 500 === 0 ? 2 : 1,
      group: id % 7 === 0 ? 'vip' : 'default',
      ...(id % 2 === 0 && { email: `person-${id}@example.com` }),
      affCode: `a${id.toString(36)}`,
      affCount: 0,
      affQuota: 0,
      affHistoryQuota: 0,
      inviterId: 0,
      setting: '',
      createdAt: new Date(nowMs - dayMs * (id % 300)),
      deletedAt: null,
    };
  });
  await many(users - 1, WalletModel.collection as never, (index) => ({
    _id: index + 2,
    balance: 5_000_000,
    usedQuota: 1000,
    requests: 10,
    version: 1,
    marks: {},
    applied: [],
    shortfalls: [],
  }));
  await many(tokens, Token.collection as never, (index) => {
    const id = index + 1;
    const key = `volume${String(id).padStart(42, '0')}`;
    return {
      id,
      userId: id,
      name: `token-${id}`,
      keyHash: createHash('sha256').update(key).digest('hex'),
      keySealed: seal(key, `token:${id}:key`),
      status: 1,
      createdAt: new Date(nowMs - dayMs),
      expiresAt: null,
      unlimited: false,
      modelLimitsEnabled: false,
      modelLimits: [],
      drawingModes: [],
      allowIps: [],
      denyIps: [],
      group: '',
      deletedAt: null,
    };
  });
  await many(tokens, TokenWalletModel.collection as never, (index) => ({
    _id: index + 1,
    userId: index + 1,
    remain: 1_000_000,
    used: 10,
    version: 1,
    marks: {},
    applied: [],
    accessedAt: null,
  }));
  await count('users', users);
  await count('tokens', tokens);
}

async function channels({ channels: wanted }: Volume, nowMs: number): Promise<void> {
  await many(wanted, Channel.collection as never, (index) => {
    const id = index + 1;
    const key = `sk-volume-channel-${id}`;
    return {
      id,
      type: id % 5 === 0 ? 14 : 1,
      name: `channel ${id}`,
      status: id % 50 === 0 ? 2 : 1,
      keySealed: seal(key, `channel:${id}:key`),
      keyDigest: sealedDigest(key, 'channel key'),
      baseUrl: `http://127.0.0.1:9/${id}`,
      other: '',
      organization: '',
      models: volumeModels.slice(id % 20, (id % 20) + 20),
      groups: id % 3 === 0 ? ['default', 'vip'] : ['default'],
      modelMapping: '',
      statusCodeMapping: '',
      testModel: '',
      autoBan: true,
      priority: id % 4,
      weight: id % 10,
      tag: id % 2 === 0 ? `tag-${id % 200}` : '',
      setting: '',
      maxInputTokens: 0,
      expiresAt: null,
      createdAt: new Date(nowMs),
      testedAt: null,
      responseTimeMs: id % 3000,
      testError: '',
      balance: 0,
      balanceUpdatedAt: null,
      statusReason: '',
      statusChangedAt: null,
    };
  });
  await many(wanted * 8, ChannelUsage.collection as never, (index) => ({
    _id: `${1 + (index >> 3)}:${index % 8}`,
    channelId: 1 + (index >> 3),
    usedQuota: 1000 * index,
    requests: 100,
    marks: {},
  }));
  await count('channels', wanted);
}

async function rest({ users }: Volume, nowMs: number): Promise<void> {
  const statuses = ['success', 'success', 'pending'];
  await many(orders, Order.collection as never, (index) => ({
    tradeNo: `V${String(index).padStart(12, '0')}`,
    userId: 1 + (index % users),
    username: nameOf(1 + (index % users)),
    amount: 10,
    quota: 5_000_000,
    cents: 7300,
    currency: 'CNY',
    method: 'alipay',
    status: statuses[index % 3],
    createdAt: new Date(nowMs - index * 60_000),
    paidAt: null,
    completedAt: null,
    completedBy: '',
    refunds: [],
    callbacks: [],
  }));
  await many(codes, Redemption.collection as never, (index) => ({
    id: index + 1,
    userId: 1,
    name: `batch-${index % 100}`,
    quota: 500_000,
    status: 1 + 2 * (index % 2),
    keyDigest: sealedDigest(`code-${index}`, 'redemption code'),
    keySealed: seal(`code-${index}`, `redemption:${index + 1}:key`),
    createdAt: new Date(nowMs),
    redeemedAt: null,
    usedUserId: 0,
    usedUsername: '',
    deletedAt: null,
  }));
  await count('redemptions', codes);
  await many(audits, AuditLog.collection as never, (index) => ({
    at: new Date(nowMs - index * 10_000),
    actorId: 1 + (index % 3),
    actorName: nameOf(1 + (index % 3)),
    action: ['user.update', 'channel.update', 'token.create', 'option.update'][index % 4],
    target: `user:${index % 1000}`,
    before: { group: 'default' },
    after: { group: 'vip' },
  }));
  const ended = ['SUCCESS', 'SUCCESS', 'FAILURE'];
  await many(drawings, Task.collection as never, (index) => {
    const at = new Date(nowMs - index * 12_000);
    const userId = 1 + ((index * 7919) % users);
    const kind = index % 4 === 0 ? 'music' : 'drawing';
    return {
      _id: `volume-task-${index}`,
      id: index + 1,
      kind,
      upstreamId: `upstream-${index}`,
      action: kind === 'music' ? 'suno_music' : 'mj_imagine',
      status: ended[index % 3],
      progress: '100%',
      failReason: '',
      at,
      startedAt: at,
      endedAt: at,
      updatedAt: at,
      userId: index % 10 === 0 ? 1 : userId,
      username: nameOf(userId),
      tokenId: userId,
      channelId: 1 + (index % 20),
      quota: 50_000,
      prompt: 'a house by the sea',
      promptEn: '',
      description: '',
      state: '',
      customId: '',
      botType: '',
      mode: '',
      code: 1,
      imageUrl: '',
    };
  });
  await count('tasks', drawings);
}

async function many(count: number, collection: Collection, row: (index: number) => object): Promise<void> {
  for (let from = 0; from < count; from += batch) {
    const documents = Array.from({ length: Math.min(batch, count - from) }, (_, index) => row(from + index));
    await collection.insertMany(documents as never[], { ordered: false });
  }
}

async function count(sequence: string, value: number): Promise<void> {
  await mongoose.connection.collection('counters').updateOne({ _id: sequence as never }, { $max: { value } }, { upsert: true });
}
