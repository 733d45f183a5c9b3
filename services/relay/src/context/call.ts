import { randomFillSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FailedAttempt, Language, PassedOver, PiecePrices, RelayMode, Usage } from '@tollgate/contracts';
import type { ClassFactors, Price } from '@tollgate/pricing';
import type { JsonObject, ToldTools } from '@tollgate/providers';
import type { CallTrace } from '@tollgate/runtime';
import type { BudgetExceeded, HoldOwner, Lease, LimitExceeded } from '@tollgate/wallet';
import type { CallerBudget } from '../auth/caller-budgets.ts';
import type { Caller } from '../auth/callers.ts';
import type { CallerDialect } from '../dialects/dialect.ts';
import type { Spool } from '../request/spool.ts';
import type { ServedBy } from '../routing/affinity.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import type { Terms } from './terms.ts';

/** What was held for a call, and until when. */
export interface Hold extends HoldOwner {
  amount: number;
  deadlineMs: number;
  /** It was reported or released: nothing may be done with it any more. */
  isOver: boolean;
  /** Tokens that it may use, as far as its caller has said how long the answer may get. */
  likelyTokens: number;
  /** What was counted against limits; undefined: nothing is limited. */
  leases: Lease[] | undefined;
  /** The channel whose limits were asked as it was held, until that one is asked; and the one that is reached. */
  first: { channelId: number; reached: LimitExceeded | undefined } | undefined;
}

/** Something that a request asks for and that has a price of its own: so many times the ordinary one. */
export interface Extra {
  /** A top-level field, which only providers get that know it; undefined: a tool, which every provider gets. */
  field: string | undefined;
  /** How many times the ordinary price each class costs. */
  by: ClassFactors;
}

/** Tools of a request that run at the provider and are charged by their uses. */
export interface HostedTools {
  /** The names of tools and fields in the request that are charged so. */
  names: ReadonlySet<string>;
  /** US dollars a use. */
  pieces: PiecePrices;
  /** How many uses are held for; no more are charged. */
  most: { searches?: number; toolCalls?: number };
  /** However often it searched, one search is charged. */
  isSearchPerCall: boolean;
  /** The field of chat completions that asks for the search, where the request does it so. */
  field: string | undefined;
}

/** What is known of a request once it has been read, checked, priced and found a group. */
export interface Checked {
  caller: Caller;
  group: string;
  tokenName: string;
  mode: RelayMode;
  model: string;
  isStream: boolean;
  price: Price;
  /** What it asks for beside the ordinary price. */
  extras: Extra[] | undefined;
  /** What fields cost by the option (RequestFieldRatio), for what an answer states of them; undefined where no field has a price. */
  fieldRatios: Readonly<Record<string, number>> | undefined;
  /** Tools of the provider's in it that are charged by their uses. */
  hosted: HostedTools | undefined;
  /** Our own weighing of the prompt; the outputs are zero. */
  promptEstimate: Usage;
  reasoningEffort: string | undefined;
  /** Of an answer within a session: the session's call. */
  sessionId?: string;
  /** Of what is not paid by the tokens of texts alone: what may be paid beside the prompt, at the most, and what it came to. */
  most: Partial<Usage> | undefined;
  bill: Terms['bill'] | undefined;
}

/** The ceilings of a call's run: those of its own run and of the one that unknown runs of its token share. */
export interface CallRun {
  /** As the caller names it; '' when the call names none. */
  id: string;
  ceilings: CallerBudget[];
  /** What a dollar is in quota. */
  quotaPerUnit: number;
}

/** What is stored of a call of the Responses API once it has been answered. */
export interface Keeping {
  userId: number;
  /** The input without the turns before it. */
  input: unknown;
  /** The ids of the responses before it, the first one first. */
  chain: string[];
  isStored: boolean;
  /** The `_id` of the conversation that it belongs to. */
  conversation: string | undefined;
  /** What its input takes in memory until then. */
  bytes: number;
}

/** A call whose request was read, checked and priced. */
export type CheckedCall = Call & { readonly checked: Checked };
/** A call that quota is held for, until the hold is over. */
export type HeldCall = CheckedCall & { readonly hold: Hold };
/** A call that a channel is asked for. */
export type AskedCall = HeldCall & { readonly channel: RoutedChannel };

/**
 * One call from its first byte to its last. Who only watches (the log, metrics, the clock) finds in it what is known so far; the
 * steps of its story take it in the state that the step before has left it in.
 */
export class Call {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly dialect: CallerDialect;
  readonly language: Language;
  /** In ms since 1970 by Redis's clock. */
  readonly atMs: number;
  /** On the clock that never goes backwards, for durations. */
  readonly startedAt = performance.now();
  /** What follows `?` in the address. */
  readonly query: string | undefined;
  isGone = false;
  /** Among the open calls; -1: not among them. */
  place = -1;
  /** Bytes that this call keeps in memory. */
  bufferedBytes = 0;
  /** Set as soon as the key is known, before it is checked. */
  caller: Caller | undefined;
  /** The requested model, set once the body is read and before it is checked. */
  model = '';
  checked: Checked | undefined;
  hold: Hold | undefined;
  /** The limit that it was refused by. */
  reached: LimitExceeded | undefined;
  /** The budget that refused it. */
  exceeded: BudgetExceeded | undefined;
  channel: RoutedChannel | undefined;
  /** What its channel is preferred by: the name of its conversation, and who answered that last. */
  conversation: { name: string; servedBy: ServedBy | undefined } | undefined;
  /** For how many ms the channel is to be left alone after this attempt, by its provider's rate-limit headers. */
  restMs = 0;
  upstreamModel = '';
  /** How much the provider was told to think: by the model's name or the channel, else by the caller. */
  effort: string | undefined;
  /** How the caller has its tools; undefined where the provider got them as they are. */
  tools: ToldTools | undefined;
  /** What of its request was changed on the way (`context/changes.ts`). */
  changes: string[] | undefined;
  /** The run that it belongs to, where that has a ceiling. */
  run: CallRun | undefined;
  readonly triedChannels: number[] = [];
  /** When the latest attempt began, on the clock of `startedAt`. */
  attemptAt = 0;
  failedAttempts: FailedAttempt[] | undefined;
  /** What its channels were chosen by. */
  plan: { passedOver(nowMs: number): PassedOver[] } | undefined;
  /** Set when it was reported. */
  outcome: { usage: Usage; endReason: string } | undefined;
  /** What it was charged, in quota units, once that is reported. */
  charged: number | undefined;
  firstTokenMs = -1;
  /** Its provider stated what it cost, whether or not anything of it was delivered. */
  isUsageStated = false;
  /** Fields of the request that answers repeat, with our id and defaults; in the dialects whose answers do. */
  envelope: JsonObject | undefined;
  keeping: Keeping | undefined;
  /** Told when quota is held for it. */
  onHeld: (() => void) | undefined;
  /** The files of its request. */
  spool: Spool | undefined;
  /** Only when traces are wanted. */
  trace: CallTrace | undefined;
  #onGone: (() => void) | undefined;

  constructor(id: string, options: Pick<Call, 'request' | 'response' | 'dialect' | 'language' | 'atMs' | 'query'>) {
    this.id = id;
    this.request = options.request;
    this.response = options.response;
    this.dialect = options.dialect;
    this.language = options.language;
    this.atMs = options.atMs;
    this.query = options.query;
    this.response.once('close', () => {
      if (this.response.writableFinished) return;
      this.isGone = true;
      this.#onGone?.();
    });
  }

  get elapsedMs(): number {
    return performance.now() - this.startedAt;
  }

  /** Whom to tell that the caller has left; one at a time. Told at once when it has happened already. */
  whenGone(tell: (() => void) | undefined): void {
    this.#onGone = tell;
    if (this.isGone) tell?.();
  }
}

const randomLength = 10;
const pool = Buffer.alloc(randomLength * 256);
let used = pool.length;
let second = 0;
let stamp = '';

/** A call's id: its UTC second and 80 random bits, such as `202611210125091f0c...`. Ids made later sort later, to the second. */
export function newRequestId(nowMs: number): string {
  const nowSecond = Math.floor(nowMs / 1000);
  if (nowSecond !== second) {
    second = nowSecond;
    stamp = new Date(nowSecond * 1000).toISOString().replace(/[-T:]/g, '').slice(0, 14);
  }
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += randomLength;
  return stamp + pool.toString('hex', used - randomLength, used);
}
