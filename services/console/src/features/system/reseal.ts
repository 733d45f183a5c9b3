import { isOptionKey, optionRegistry } from '@tollgate/contracts';
import { Channel, isSealed, OptionModel, Redemption, resealed, sealingKeyIds, Token, User, unseal } from '@tollgate/db';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { placeOfSecondFactor } from '../../auth/second-factor.ts';
import { placeOfWebhookSecret } from '../../notices/way.ts';
import { resealedSecrets } from '../channels/key-rows.ts';
import { resealedProxy } from '../channels/proxies.ts';
import { codeDigest } from '../redemption/service.ts';

/** How far the last sealing anew has come; it lives in Redis for root to see. */
const progressSchema = z.object({
  /** Of the key that it seals with; '' of one by an older release. */
  keyId: z.string().default(''),
  startedAt: z.number(),
  /** 0 while it runs. */
  endedAt: z.number(),
  /** Rows in all, and how many of them were looked at. */
  total: z.number(),
  looked: z.number(),
  /** Rows of which something was sealed anew, and those with a text that no key opens. */
  changed: z.number(),
  unreadable: z.number(),
});
export type ResealProgress = z.output<typeof progressSchema>;

const progressKey = 'reseal:progress';
const pageSize = 200;

/** One kind of row that holds sealed texts. */
interface Kind {
  count(): Promise<number>;
  read(): AsyncIterable<Row>;
  /** The fields that change, none when all are sealed with the newest key. Throws when no key opens one. */
  change(row: Row): Record<string, unknown>;
  write(changes: Change[]): Promise<unknown>;
}

// biome-ignore lint/suspicious/noExplicitAny: rows of five collections, each read by its own `change`
type Row = any;

/** Takes hold only of the row as it was read: whoever edited it meanwhile has sealed it anew himself. */
interface Change {
  updateOne: { filter: Record<string, unknown>; update: { $set: Record<string, unknown> } };
}

const kinds: Kind[] = [
  kind(Channel, 'id setting +keySealed +keySecrets', (row) => {
    const secrets = resealedSecrets(row);
    const isChanged =
      secrets.keySealed !== row.keySealed || secrets.keySecrets?.some(({ sealed }, at) => sealed !== row.keySecrets[at].sealed);
    return { ...(isChanged && secrets), ...changed('setting', row.setting ?? '', resealedProxy) };
  }),
  kind(Token, 'id +keySealed', ({ id, keySealed }) => changed('keySealed', keySealed, (text) => resealed(text, `token:${id}:key`))),
  kind(Redemption, 'id keySealed', ({ id, keySealed }) => {
    const place = `redemption:${id}:key`;
    const key = resealed(keySealed, place);
    return key === keySealed ? {} : { keySealed: key, keyDigest: codeDigest(unseal(keySealed, place)) };
  }),
  kind(OptionModel, 'value', ({ _id, value }) => {
    if (!isOptionKey(_id) || optionRegistry[_id].access !== 'secret' || !isSealed(value)) return {};
    return changed('value', value, (text) => resealed(text, `option:${_id}`));
  }),
  kind(User, 'id setting +totp', ({ id, setting, totp }) => ({
    ...changed('setting', setting ?? '', (text) => resealedSetting(id, text)),
    ...(totp?.secret && changed('totp.secret', totp.secret, (text) => resealed(text, placeOfSecondFactor(id)))),
  })),
];

/**
 * Seals every stored secret with the newest master key that an older one sealed. Safe to repeat and to break off: what is done stays done.
 * What no key opens is counted and left as it is.
 */
export async function resealAll(redis: Redis, signal: AbortSignal): Promise<ResealProgress> {
  const counts = await Promise.all(kinds.map((each) => each.count()));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const progress: ResealProgress = {
    keyId: sealingKeyIds()[0] ?? '',
    startedAt: Date.now(),
    endedAt: 0,
    total,
    looked: 0,
    changed: 0,
    unreadable: 0,
  };
  const note = () => redis.set(progressKey, JSON.stringify(progress));
  await note();
  for (const each of kinds) await resealKind(each, { progress, note, signal });
  progress.endedAt = Date.now();
  await note();
  return progress;
}

/** The last one, or the one that runs; undefined: there was none. */
export async function resealProgress(redis: Redis): Promise<ResealProgress | undefined> {
  const stored = await redis.get(progressKey);
  return stored === null ? undefined : progressSchema.parse(JSON.parse(stored));
}

interface Doing {
  progress: ResealProgress;
  note(): Promise<unknown>;
  signal: AbortSignal;
}

async function resealKind({ read, change, write }: Kind, { progress, note, signal }: Doing): Promise<void> {
  let page: Change[] = [];
  let looked = 0;
  const turn = async () => {
    if (page.length > 0) await write(page);
    progress.looked += looked;
    progress.changed += page.length;
    page = [];
    looked = 0;
    await note();
    signal.throwIfAborted();
  };
  for await (const row of read()) {
    looked += 1;
    try {
      const fields = change(row);
      const names = Object.keys(fields);
      if (names.length > 0) page.push({ updateOne: { filter: { _id: row._id, ...seen(row, names) }, update: { $set: fields } } });
    } catch {
      progress.unreadable += 1;
    }
    if (looked === pageSize) await turn();
  }
  await turn();
}

/** What stood in the sealed fields when they were read. */
function seen(row: Row, names: string[]): Record<string, unknown> {
  const sealed = names.filter((name) => name !== 'keyDigest');
  return Object.fromEntries(sealed.map((name) => [name, name === 'totp.secret' ? row.totp.secret : row[name]]));
}

function changed(name: string, text: string, reseal: (text: string) => string): Record<string, string> {
  const anew = reseal(text);
  return anew === text ? {} : { [name]: anew };
}

/** An account's settings with the secret of its webhook sealed anew. */
function resealedSetting(userId: number, setting: string): string {
  if (setting === '') return setting;
  const fields = JSON.parse(setting) as { webhook_secret?: string };
  if (!fields.webhook_secret) return setting;
  const secret = resealed(fields.webhook_secret, placeOfWebhookSecret(userId));
  return secret === fields.webhook_secret ? setting : JSON.stringify({ ...fields, webhook_secret: secret });
}

interface SealedModel {
  estimatedDocumentCount(): PromiseLike<number>;
  find(): { select(fields: string): { lean(): { cursor(): AsyncIterable<Row> } } };
  bulkWrite(changes: Change[], options: { ordered: false; timestamps: false }): Promise<unknown>;
}

function kind(model: unknown, fields: string, change: Kind['change']): Kind {
  const rows = model as SealedModel;
  return {
    count: async () => rows.estimatedDocumentCount(),
    read: () => rows.find().select(fields).lean().cursor(),
    change,
    write: (changes) => rows.bulkWrite(changes, { ordered: false, timestamps: false }),
  };
}
