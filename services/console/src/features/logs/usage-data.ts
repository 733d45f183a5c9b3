import {
  mostUsageKeys,
  mostUsageRows,
  role,
  type UsageDataQuery,
  type UsageDataRow,
  type UsageDimension,
  type UsageStep,
  usageStepOf,
} from '@tollgate/contracts';
import { Channel, type DearestPart, Token, User } from '@tollgate/db';
import type { OptionStore } from '@tollgate/options';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import { type Said, said } from '../../http/answer.ts';
import { keptFor } from '../../kept-answers.ts';
import { ownScope, type Scope, scopeOf } from './filter.ts';
import { countedSince } from './stat.ts';
import { countUsage, fewHours, sourceOf } from './usage-counts.ts';
import { countDearest, type DearestCounted, isLarge } from './usage-dearest.ts';
import { areUtcDays, type Counted, daySeconds, hourSeconds, type Span, type Steps, stepsOf, utc } from './usage-steps.ts';

const longestOwnSpanSeconds = 31 * daySeconds;
const longestSpanSeconds = 366 * daySeconds;
const secondsOf = { hour: hourSeconds, day: daySeconds, week: 7 * daySeconds };
/** So many are told apart however many steps there are: the page shows eight. */
const fewestKeys = 10;

type Answer = UsageDataRow[] | Said<UsageDataRow[]>;
type Words = { en: string; zh: string };

interface Counting {
  options: OptionStore;
  nowMs: () => number;
  /** Days have no list of their dearest yet: somebody should write them. */
  listDays: () => void;
}

/**
 * Usage for the dashboard, while `DataExportEnabled` says so. Everybody's by channel, token and user stands on lists of whole days, and
 * the day that is not over is the sum of more rows than somebody should wait for at every look: it is added up anew every `DataExportInterval` minutes.
 */
export function usageDataOf({ options, nowMs, listDays }: Counting) {
  const kept = keptFor<LargeCounted>(
    () => options.values.DataExportInterval * 60_000,
    ({ unlistedDays }) => unlistedDays === 0,
  );

  async function counted(query: UsageDataQuery, scope: Scope, span: Span): Promise<InSteps & { about?: Words | undefined }> {
    const now = Math.floor(nowMs() / 1000);
    const { by } = query;
    const steps = stepsOf(stepOf(query, scope, span), span, query.zone || utc);
    const top = topOf(query, steps.step, span);
    if (!('everybody' in scope && isLarge(by))) return { rows: await countUsage(sourceOf(by, scope), span, { steps, top, now }), steps };
    const { step, zone } = steps;
    const needsHours = step === 'hour' || (step !== 'total' && !areUtcDays(span, zone));
    const unit = needsHours ? hourSeconds : daySeconds;
    const asked = [by, step, needsHours && zone, top, Math.floor(span.start / unit), Math.floor(span.end / unit)].join('|');
    const found = await kept(asked, () => countLarge(by, span, { steps, needsHours, top, now }));
    if (found.unlistedDays > 0) listDays();
    return { ...found, about: aboutOf(found) };
  }

  async function rowsOf(query: UsageDataQuery, scope: Scope, { longest, username }: { longest: number; username: string }) {
    if (!options.values.DataExportEnabled) throw new AppError('data_export_off');
    const span = spanOf(query, longest, Math.floor(nowMs() / 1000));
    const { by } = query;
    const { rows, steps, about } = await counted(query, scope, span);
    const labels = await labelsOf(by, rows);
    const userId = 'userId' in scope ? scope.userId : 0;
    const views = rows.map(({ key, at, requests, promptTokens, completionTokens, quota, uncollected }): UsageDataRow => {
      const { label = '', owner } = labels.get(key) ?? {};
      return {
        user_id: userId || (owner?.id ?? 0),
        username: userId ? username : (owner?.username ?? ''),
        model_name: by === 'model' ? key : '',
        key,
        label,
        step: steps.step,
        zone: steps.zone,
        created_at: at,
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        token_used: promptTokens + completionTokens,
        count: requests,
        quota,
        uncollected,
      };
    });
    return { views, about };
  }

  return {
    async usageData(query: UsageDataQuery): Promise<Answer> {
      const { username } = query;
      const scope = await scopeOf(query);
      const { views, about } = await rowsOf(query, scope, { longest: longestSpanSeconds, username });
      const since = 'everybody' in scope && query.by !== 'model' ? await lateBegin(query) : undefined;
      const words = since ? { en: `Counted by ${query.by} since ${since} (UTC)`, zh: `该维度的统计自 ${since}（UTC）开始` } : about;
      return words ? said(views, words) : views;
    },
    /** Which channel answered is the operator's business. */
    async ownUsageData(query: UsageDataQuery, caller: Caller): Promise<UsageDataRow[]> {
      if (query.by === 'channel' && caller.role < role.admin) throw new AppError('insufficient_role');
      return (await rowsOf(query, ownScope(caller), { longest: longestOwnSpanSeconds, username: caller.username })).views;
    },
  };
}

function aboutOf({ isAbout, unlistedDays }: DearestCounted): Words | undefined {
  if (unlistedDays > 0)
    return {
      en: `${unlistedDays} days are still being counted: who is shown is told from the others`,
      zh: `仍有 ${unlistedDays} 天正在统计：显示的对象依据其余日期选出`,
    };
  return isAbout
    ? { en: 'Some that are not shown cost about as much as the last of these', zh: '部分未显示的对象与末几位的消耗相近' }
    : undefined;
}

interface InSteps {
  rows: Counted[];
  /** The steps of the rows, which may differ from the requested ones. */
  steps: Steps;
}

type LargeCounted = DearestCounted & InSteps;

/** All users' usage by channel, token or user: by hour where the hours are few, else by days of UTC, whose highest costs are listed. */
async function countLarge(
  by: DearestPart,
  span: Span,
  { steps, needsHours, top, now }: { steps: Steps; needsHours: boolean; top: number; now: number },
): Promise<LargeCounted> {
  const hours = needsHours ? await fewHours(by, span) : undefined;
  if (hours) return { rows: await countUsage(hours, span, { steps, top, now }), isAbout: false, unlistedDays: 0, steps };
  const days = stepsOf(steps.step === 'hour' ? 'day' : steps.step, span);
  return { ...(await countDearest(by, span, { steps: days, top, now })), steps: days };
}

/** One user's usage comes by the hour for the longest span, too, if the query names the hour. */
function stepOf({ default_time: asked }: UsageDataQuery, scope: Scope, span: Span): UsageStep {
  if (!('everybody' in scope) && asked) return asked;
  return usageStepOf(asked || 'hour', span.start, span.end);
}

/** As many as are asked for and make an answer that somebody can look at. */
function topOf({ top }: UsageDataQuery, step: UsageStep, { start, end }: Span): number {
  const steps = step === 'total' ? 1 : Math.ceil((end - start) / secondsOf[step]) + 1;
  return Math.min(top || mostUsageKeys, Math.max(fewestKeys, Math.floor(mostUsageRows / steps)));
}

function spanOf({ start_timestamp, end_timestamp }: UsageDataQuery, longest: number, now: number): Span {
  const end = end_timestamp > 0 ? end_timestamp : now;
  const start = start_timestamp > 0 ? start_timestamp : end - longest;
  if (end - start > longest) throw new AppError('invalid_parameter', { reason: `the span is longer than ${longest / daySeconds} days` });
  return { start, end };
}

/** The day since when usage is told apart by more than models, if it was counted before and somebody asks for an earlier one. */
async function lateBegin({ start_timestamp: start }: UsageDataQuery): Promise<string | undefined> {
  const begun = await countedSince('group');
  if (!begun?.isLate || begun.atMs <= start * 1000) return undefined;
  return new Date(begun.atMs).toISOString().slice(0, 16).replace('T', ' ');
}

interface Label {
  /** '' where it is gone, or has no name. */
  label: string;
  /** Whose it is, of usage by token or user. */
  owner?: { id: number; username: string };
}

/** What the keys of usage are called today. */
async function labelsOf(by: UsageDimension, counted: Counted[]): Promise<Map<string, Label>> {
  const keys = [...new Set(counted.map(({ key }) => key))].filter((key) => key !== '');
  if (by === 'model' || by === 'group') return new Map(keys.map((key) => [key, { label: key }]));
  const id = { $in: keys.map(Number) };
  if (by === 'channel') {
    const channels = await Channel.find({ id }).select('id name').lean();
    return new Map(channels.map((channel) => [String(channel.id), { label: channel.name }]));
  }
  if (by === 'user') {
    const users = await namesOf(keys.map(Number));
    return new Map(keys.map((key) => [key, { label: users.get(Number(key)) ?? '', owner: owner(Number(key), users) }]));
  }
  const tokens = await Token.find({ id }).select('id name userId').lean();
  const users = await namesOf(tokens.map(({ userId }) => userId));
  return new Map(tokens.map((token) => [String(token.id), { label: token.name, owner: owner(token.userId, users) }]));
}

async function namesOf(ids: number[]): Promise<Map<number, string>> {
  const users = await User.find({ id: { $in: [...new Set(ids)] } })
    .select('id username')
    .lean();
  return new Map(users.map(({ id, username }) => [id, username]));
}

function owner(id: number, users: Map<number, string>): { id: number; username: string } {
  return { id, username: users.get(id) ?? '' };
}
