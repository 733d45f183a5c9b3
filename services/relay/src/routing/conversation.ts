import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { noKey, promptTokensOf } from '@tollgate/contracts';
import { isObject, type JsonObject } from '@tollgate/providers';
import type { CheckedCall } from '../context/call.ts';
import type { Reading } from '../request/read-request.ts';
import type { Tiers } from './channel-table.ts';
import { keyIdOf } from './key-pool.ts';
import type { RoutedChannel } from './routed-channel.ts';

/**
 * Anthropic keeps a prompt for 5 minutes after its last use, or for an hour where it is asked to; OpenAI for 5 to 10 minutes, an hour at most.
 * Sources, read 2026-11-26: https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching, https://platform.openai.com/docs/guides/prompt-caching
 */
const lifeMs = 10 * 60_000;
const longLifeMs = 60 * 60_000;
/** Shorter prompts are cached nowhere (same sources). */
const shortestCached = 1_024;

/** How long the cache of a call's prompt lives. */
export function cacheLifeOf({ checked }: CheckedCall): number {
  return checked.promptEstimate.cacheWrite1h > 0 ? longLifeMs : lifeMs;
}

/** Whether the event of a call says that its conversation stayed where its cache is, and where it was before if not. */
export function affinityOf(
  { conversation }: CheckedCall,
  channel: RoutedChannel,
): { how: 'new' | 'kept' | 'moved'; from?: string } | undefined {
  if (conversation === undefined) return undefined;
  const { servedBy } = conversation;
  if (servedBy === undefined) return { how: 'new' };
  if (servedBy.channelId === channel.id && servedBy.keyId === keyIdOf(channel)) return { how: 'kept' };
  return { how: 'moved', from: servedBy.keyId === noKey ? String(servedBy.channelId) : `${servedBy.channelId}/${servedBy.keyId}` };
}

/** The name of a call's conversation in Redis; undefined where there is one channel with one key, or nothing that a cache would hold. */
export function conversationOf(call: CheckedCall, { request, sent }: Reading, tiers: Tiers): string | undefined {
  const { mode, caller, promptEstimate } = call.checked;
  if (mode !== 'chat' || !hasChoice(tiers)) return undefined;
  const named = namedSession(call.request.headers, sent.json) ?? textOf(sent.json.prompt_cache_key);
  if (named === undefined && promptTokensOf(promptEstimate) < shortestCached) return undefined;
  const text = named ?? prefixOf(sent.json.user, request as JsonObject, sent.long?.slices.bind(sent.long));
  return `affinity:${caller.userId}:${hash('sha256', `${request.model}\n${text}`, 'base64url')}`;
}

function hasChoice([best, next]: Tiers): boolean {
  return best !== undefined && (next !== undefined || best.length > 1 || best[0]?.pool !== undefined);
}

/**
 * Headers in which agents name their session, the most explicit first: a caller's own, Claude Code's, Codex's, OpenCode's, and that of runs.
 * Seen in their requests on 2026-11-26.
 */
const sessionHeaders = ['x-session-id', 'x-claude-code-session-id', 'session_id', 'session-id', 'x-session-affinity', 'x-run-id'];
const longestName = 256;

function namedSession(headers: IncomingHttpHeaders, { metadata }: JsonObject): string | undefined {
  for (const name of sessionHeaders) {
    const value = textOf(headers[name]);
    if (value !== undefined) return value;
  }
  if (!isObject(metadata)) return undefined;
  return textOf(metadata.session_id) ?? sessionInUser(textOf(metadata.user_id));
}

/** Claude Code writes its session into the user's id, as `user_…_session_<id>` or as JSON. */
function sessionInUser(user: string | undefined): string | undefined {
  if (user === undefined) return undefined;
  return user.includes('_session_') || user.startsWith('{') ? user : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, longestName) : undefined;
}

const longestPrefix = 2_000;

/** What stays the same over the turns of a conversation: who asks, the instructions, and without a user the first question. */
function prefixOf(user: unknown, { messages }: JsonObject, slices: ((text: string) => Iterable<string>) | undefined): string {
  const all = Array.isArray(messages) ? (messages as JsonObject[]) : [];
  const isInstruction = ({ role }: JsonObject) => role === 'system' || role === 'developer';
  const name = textOf(user);
  const parts = [all.find(isInstruction), ...(name === undefined ? [all.find((message) => !isInstruction(message))] : [])];
  return [name ?? '', ...parts.map((part) => beginningOf(part?.content, slices))].join('\n');
}

function beginningOf(content: unknown, slices: ((text: string) => Iterable<string>) | undefined): string {
  const first: unknown = Array.isArray(content) ? content.find((part) => isObject(part) && typeof part.text === 'string')?.text : content;
  if (typeof first !== 'string') return '';
  if (slices === undefined) return first.slice(0, longestPrefix);
  let text = '';
  for (const slice of slices(first)) {
    text += slice.slice(0, longestPrefix);
    if (text.length >= longestPrefix) break;
  }
  return text.slice(0, longestPrefix);
}
