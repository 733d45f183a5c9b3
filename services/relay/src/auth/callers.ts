import { hash } from 'node:crypto';
import { limitsOf, role, tokenStatus, userStatus } from '@tollgate/contracts';
import { Token, type TokenDoc, User } from '@tollgate/db';
import { type AddressList, AppError, addressRule, type DatastoreWatch, type Logger } from '@tollgate/runtime';
import { type LimitRules, limitRules } from '@tollgate/wallet';
import { LRUCache } from 'lru-cache';
import { type CallerBudget, readBudgets } from './caller-budgets.ts';

/** Who calls: a token and its owner, as the database had them at most a minute ago. */
export interface Caller {
  userId: number;
  username: string;
  isAdmin: boolean;
  userStatus: number;
  /** The owner's own group. */
  userGroup: string;
  /** The token that the call spends from: of a child token, its parent. 0 in the playground, which has no token. */
  tokenId: number;
  /** The token that the key belongs to. */
  keyTokenId: number;
  /** The run of all its calls; '': as each call says. */
  runId: string;
  /** The ceiling that all unknown runs share, in quota units; 0: none. */
  runBudget: number;
  tokenName: string;
  tokenStatus: number;
  /** '': the owner's own. */
  tokenGroup: string;
  unlimited: boolean;
  /** In ms since 1970; Infinity: never. */
  expiresAtMs: number;
  /** undefined: every model of the group. */
  modelLimits: ReadonlySet<string> | undefined;
  /** In which modes he may draw; undefined: in all. */
  drawingModes: ReadonlySet<string> | undefined;
  /** From where calls are taken; undefined: from anywhere. */
  addresses: AddressList | undefined;
  /** The token's own; undefined: none. */
  limits: LimitRules | undefined;
  /** Of the token, the owner and the owner's group; undefined: none. */
  budgets: readonly CallerBudget[] | undefined;
}

export interface Callers {
  /** The caller that a key stands for. Throws: AppError `invalid_api_key`, or `service_unavailable` when the database must be asked and is silent. */
  byKey(key: string): Caller | Promise<Caller>;
  /** The same, when he is known already; asks nobody. */
  knownByKey(key: string): Caller | undefined;
  /** The caller of the playground. Throws alike. */
  byUser(userId: number): Promise<Caller>;
  forgetToken(tokenId: number): void;
  forgetUser(userId: number): void;
  forgetAll(): void;
}

const lifeMs = 60_000;
/** How often the cache looks at the clock, in ms: not for every call. */
const ttlResolution = 500;
const mostKnown = 50_000;
const mostUnknown = 100_000;
const longestKey = 256;

/** Keys are cached by their hash, unknown ones too, so that guessing costs no database call. */
export function openCallers({ logger, datastores }: { logger: Logger; datastores: Pick<DatastoreWatch, 'guard'> }): Callers {
  const byToken = keysOf(({ tokenId, keyTokenId }) => (tokenId === keyTokenId ? [tokenId] : [tokenId, keyTokenId]));
  const byUser = keysOf(({ userId }) => [userId]);
  const known = new LRUCache<string, Caller>({
    max: mostKnown,
    ttl: lifeMs,
    ttlResolution,
    dispose(caller, cacheKey) {
      byToken.drop(caller, cacheKey);
      byUser.drop(caller, cacheKey);
    },
  });
  /** With the generation in which each was not to be found. */
  const unknown = new LRUCache<string, number>({ max: mostUnknown, ttl: lifeMs, ttlResolution });
  /** Of keys that were good once: to work it out takes 2 us of each call. */
  const hashes = new LRUCache<string, string>({ max: mostKnown });
  const hashOf = (key: string): string => hashes.get(key) ?? hash('sha256', key);
  const loading = new Map<string, Promise<Caller>>();
  /** Grows with every notice: what was read before one is not kept after it. */
  let generation = 0;

  /** One database read at a time for one key, however many calls wait for it. */
  function load(cacheKey: string, read: () => Promise<Caller | undefined>): Promise<Caller> {
    const waiting = loading.get(cacheKey);
    if (waiting !== undefined) return waiting;
    const asked = generation;
    const loaded = (async () => {
      let caller: Caller | undefined;
      try {
        caller = await datastores.guard('MongoDB', read);
      } catch (cause) {
        logger.warn({ err: cause }, 'a key could not be looked up');
        throw new AppError('service_unavailable', {}, { cause, retryAfterSeconds: 2 });
      } finally {
        if (asked === generation) loading.delete(cacheKey); // else it is a later read that stands there
      }
      if (asked === generation) {
        if (caller === undefined) unknown.set(cacheKey, generation);
        else {
          known.set(cacheKey, caller);
          byToken.add(caller, cacheKey);
          byUser.add(caller, cacheKey);
        }
      }
      if (caller === undefined) throw new AppError('invalid_api_key');
      return caller;
    })();
    loading.set(cacheKey, loaded);
    return loaded;
  }

  /** Keys that were unknown may be known now, too: what changed may be a new token. */
  function forget(cacheKeys: Iterable<string>): void {
    generation += 1;
    loading.clear();
    for (const cacheKey of [...cacheKeys]) known.delete(cacheKey);
  }

  return {
    byKey(key) {
      if (key.length > longestKey) throw new AppError('invalid_api_key');
      const keyHash = hashOf(key);
      const caller = known.get(keyHash);
      if (caller !== undefined) return caller;
      if (unknown.get(keyHash) === generation) throw new AppError('invalid_api_key');
      return load(keyHash, async () => {
        const found = await readByKeyHash(keyHash, key);
        if (found !== undefined) hashes.set(key, keyHash);
        return found;
      });
    },
    knownByKey: (key) => (key.length > longestKey ? undefined : known.get(hashOf(key))),
    async byUser(userId) {
      const cacheKey = `user:${userId}`;
      return known.get(cacheKey) ?? load(cacheKey, () => readByUser(userId));
    },
    forgetToken: (tokenId) => forget(byToken.of(tokenId)),
    forgetUser: (userId) => forget(byUser.of(userId)),
    forgetAll() {
      forget([]);
      known.clear();
    },
  };
}

/** The keys of a cache by an id of what they stand for, so that a notice costs what it concerns. */
function keysOf(idsOf: (caller: Caller) => number[]) {
  const keys = new Map<number, Set<string>>();
  return {
    of: (id: number): Iterable<string> => keys.get(id) ?? [],
    add(caller: Caller, cacheKey: string): void {
      for (const id of idsOf(caller)) {
        const its = keys.get(id);
        if (its === undefined) keys.set(id, new Set([cacheKey]));
        else its.add(cacheKey);
      }
    },
    drop(caller: Caller, cacheKey: string): void {
      for (const id of idsOf(caller)) {
        const its = keys.get(id);
        its?.delete(cacheKey);
        if (its?.size === 0) keys.delete(id);
      }
    },
  };
}

/** Throws when this caller may not call at all, whatever he asks for. */
export function assertMayCall(caller: Caller, nowMs: number): void {
  if (caller.tokenStatus === tokenStatus.expired || caller.expiresAtMs <= nowMs) throw new AppError('token_expired');
  if (caller.tokenStatus === tokenStatus.disabled) throw new AppError('token_disabled');
  if (caller.userStatus !== userStatus.enabled) throw new AppError('user_banned');
}

/** A key that was imported from a gateway which stores no keys is known by the hash of the whole, `sk-` included. */
async function readByKeyHash(keyHash: string, key: string): Promise<Caller | undefined> {
  const token = await Token.findOne({ keyHash: { $in: [keyHash, hash('sha256', `sk-${key}`)] }, deletedAt: null }).lean();
  if (!token) return undefined;
  const owner = await ownerOf(token.userId);
  if (!owner) return undefined;
  if (token.parentId == null) return callerBy(token, { owner, budgets: await readBudgets({ ...owner, tokenIds: [token.id] }) });
  const parent = await Token.findOne({ id: token.parentId, userId: token.userId, deletedAt: null }).lean();
  if (!parent) return undefined;
  const budgets = await readBudgets({ ...owner, tokenIds: [parent.id, token.id] });
  return narrowed(callerBy(parent, { owner, budgets }), callerBy(token, { owner, budgets }));
}

/** The caller of a child token: its parent, from which it spends, with what the child is narrower in. */
function narrowed(parent: Caller, child: Caller): Caller {
  const { keyTokenId, tokenName, runId } = child;
  const limits = [parent.modelLimits, child.modelLimits].filter((each) => each !== undefined);
  return {
    ...parent,
    ...{ keyTokenId, tokenName, runId },
    tokenStatus: parent.tokenStatus === tokenStatus.enabled ? child.tokenStatus : parent.tokenStatus,
    expiresAtMs: Math.min(parent.expiresAtMs, child.expiresAtMs),
    modelLimits: limits.length === 0 ? undefined : limits.reduce((both, next) => both.intersection(next)),
  };
}

function callerBy(token: TokenDoc, { owner, budgets }: { owner: Owner; budgets: CallerBudget[] | undefined }): Caller {
  return {
    ...owner,
    tokenId: token.id,
    keyTokenId: token.id,
    runId: token.runId ?? '',
    runBudget: token.runBudget ?? 0,
    tokenName: token.name ?? '',
    tokenStatus: token.status ?? tokenStatus.enabled,
    tokenGroup: token.group ?? '',
    unlimited: token.unlimited === true,
    expiresAtMs: token.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    modelLimits: token.modelLimitsEnabled ? new Set(token.modelLimits) : undefined,
    drawingModes: token.drawingModes?.length ? new Set(token.drawingModes) : undefined,
    addresses: addressRule(token.allowIps, token.denyIps),
    limits: limitRules(limitsOf(token)),
    budgets,
  };
}

async function readByUser(userId: number): Promise<Caller | undefined> {
  const owner = await ownerOf(userId);
  if (!owner) return undefined;
  return {
    ...owner,
    tokenId: 0,
    keyTokenId: 0,
    runId: '',
    runBudget: 0,
    tokenName: '',
    tokenStatus: tokenStatus.enabled,
    tokenGroup: '',
    unlimited: true,
    expiresAtMs: Number.POSITIVE_INFINITY,
    modelLimits: undefined,
    drawingModes: undefined,
    addresses: undefined,
    limits: undefined,
    budgets: await readBudgets({ ...owner, tokenIds: [] }),
  };
}

type Owner = Pick<Caller, 'userId' | 'username' | 'isAdmin' | 'userStatus' | 'userGroup'>;

async function ownerOf(userId: number): Promise<Owner | undefined> {
  const user = await User.findOne({ id: userId, deletedAt: null }).lean();
  if (!user) return undefined;
  return {
    userId: user.id,
    username: user.username,
    isAdmin: (user.role ?? role.user) >= role.admin,
    userStatus: user.status ?? userStatus.enabled,
    userGroup: user.group || 'default',
  };
}

/** Who calls, and how he came in. */
export interface AuthContext {
  caller: Caller;
  /** The channel that an administrator named. */
  channelId: number | undefined;
  /** The console's own playground: the body names the group, the request limit and the IP list are not asked. */
  isPlayground: boolean;
}
