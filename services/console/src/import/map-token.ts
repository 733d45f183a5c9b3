import { addressBlock, addressesOf, beginOf, createTokenBody, latestExpiry, mostQuota, tokenStatus } from '@tollgate/contracts';
import type { TokenDoc } from '@tollgate/db';
import { z } from 'zod';
import { fieldsOf } from '../features/tokens/service.ts';
import type { SourceToken } from './rows.ts';
import type { Product } from './source.ts';

export interface MappedToken {
  /** As callers send it, without `sk-`. */
  key: string;
  fields: Partial<TokenDoc>;
  remain: number;
}

export type TokenOutcome = { token: MappedToken; changes: string[] } | { leftOut: string };

const longestKey = 256;
const longestName = 30;

/** What a token of the source becomes. Its key stays as it is. */
export function mapToken(product: Product, row: SourceToken): TokenOutcome {
  if (row.key === '' && !/^[0-9a-f]{64}$/.test(row.key_hash)) return { leftOut: 'it has no key' };
  if ((product === 'one-api' || product === 'new-api') && row.key.includes('-'))
    return { leftOut: 'its key holds a hyphen: the old gateway never accepted it' };
  if (row.key.length > longestKey) return { leftOut: `its key has more than ${longestKey} characters` };
  const changes: string[] = [];
  const isUnlimited = row.unlimited_quota === 1;
  const name = nameOf(row, changes);
  const addresses = addressesIn(row.allow_ips || row.subnet, changes);
  const models = row.models || (row.model_limits_enabled === 1 ? row.model_limits : '');
  const remain = isUnlimited ? 0 : Math.min(Math.max(0, row.remain_quota), mostQuota);
  if (!isUnlimited && row.remain_quota < 0) changes.push(`what is left, ${row.remain_quota}, becomes 0`);
  const group = row.group === 'auto' ? '' : row.group;
  if (group !== row.group) changes.push("the group auto becomes the user's own");
  const body = createTokenBody.safeParse({
    name,
    expired_time: expiryOf(row, changes),
    remain_quota: remain,
    unlimited_quota: isUnlimited,
    model_limits_enabled: row.model_limits_enabled === 1 || row.models !== '',
    model_limits: models,
    allow_ips: addresses.join('\n'),
    group,
  });
  if (!body.success) return { leftOut: body.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ') };
  const isOn = isEnabled(row, changes) && !(addresses.length === 0 && (row.allow_ips || row.subnet).trim() !== '');
  return {
    token: {
      key: row.key,
      fields: { ...fieldsOf(body.data), ...ownFields(row.own), status: isOn ? tokenStatus.enabled : tokenStatus.disabled },
      remain,
    },
    changes,
  };
}

function nameOf({ id, name }: SourceToken, changes: string[]): string {
  const clean = name.replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, ' ').trim() || `token ${id}`;
  const short = beginOf(clean, longestName);
  if (short !== name) changes.push(name === '' ? `it has no name and becomes ${short}` : `its name becomes ${JSON.stringify(short)}`);
  return short;
}

/** A list that loses all of its entries must not become one that lets everybody in: the token is disabled then. */
function addressesIn(text: string, changes: string[]): string[] {
  const all = addressesOf(text);
  const good = all.filter((entry) => addressBlock.safeParse(entry).success);
  const bad = all.filter((entry) => !good.includes(entry));
  if (bad.length > 0) changes.push(`${bad.join(', ')} in its IP list is no address${good.length === 0 ? ': the token is disabled' : ''}`);
  return good;
}

function expiryOf({ expired_time: time }: SourceToken, changes: string[]): number {
  if (time <= 0) return -1;
  if (time > latestExpiry) changes.push('it expires after 2099 and never expires here');
  return time > latestExpiry ? -1 : time;
}

/** Expired (3) and used up (4) are computed here; where nothing here would stop it, the token is disabled. */
function isEnabled({ status, expired_time, remain_quota, unlimited_quota }: SourceToken, changes: string[]): boolean {
  if (status === tokenStatus.enabled) return true;
  const isPast = expired_time > 0 && expired_time * 1000 <= Date.now();
  if (status === tokenStatus.expired && isPast) return true;
  if (status === tokenStatus.exhausted && remain_quota <= 0 && unlimited_quota !== 1) return true;
  if (status !== tokenStatus.disabled)
    changes.push(`its status ${status} becomes disabled: by its expiry and quota it would be usable again`);
  return false;
}

const count = z.int().min(0);
const ownToken = z
  .object({
    denyIps: z.array(addressBlock),
    drawingModes: z.array(z.string()),
    requestsPerMinute: count,
    requestsPerDay: count,
    tokensPerMinute: count,
    tokensPerDay: count,
    mostAtOnce: count,
  })
  .partial();

/** Limits and lists that only Tollgate has. Throws where they are not what it stores: a limit is not left out unseen. */
function ownFields(own: Record<string, unknown>) {
  return ownToken.parse(Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined && value !== null)));
}
