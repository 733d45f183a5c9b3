import { cutText, type TaskStatus, taskStatuses } from '@tollgate/contracts';
import { withoutSecrets } from './error-text.ts';
import type { JsonObject } from './provider.ts';
import { UpstreamError } from './upstream-error.ts';

const longestId = 128;
const longestText = 8_000;
const longestJson = 256 * 1024;

export function unreadable(message: string): UpstreamError {
  return new UpstreamError({ kind: 'unreadable', status: 502, message, code: 'upstream_bad_answer' });
}

export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** An id that may stand in an index, a path and a list; '' for anything else. Some proxies write theirs as numbers. */
export function idOf(value: unknown): string {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && text.length <= longestId && /^[\w.:-]+$/.test(text) ? text : '';
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? cutText(value, longestText) : '';
}

/** Why a task failed, in words that people may see. */
export function reasonOf(value: unknown): string {
  return typeof value === 'string' ? withoutSecrets(value) : '';
}

/** '' for what no provider should say. One that was cancelled makes nothing any more, as one that failed. */
export function statusOf(value: unknown): TaskStatus {
  if (value === 'CANCEL' || value === 'CANCELLED') return 'FAILURE';
  return (taskStatuses as readonly unknown[]).includes(value) ? (value as TaskStatus) : '';
}

/** Some proxies write their numbers as texts. NaN for what is none. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

/** `42%`, also where the sign or the quotes are missing; '' for what is no share. */
export function progressOf(value: unknown): string {
  const [, percent] =
    /^(\d{1,3})(?:\.\d+)?%?$/.exec(typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '') ?? [];
  return percent === undefined || Number(percent) > 100 ? '' : `${Number(percent)}%`;
}

export function timeOf(value: unknown, unitMs: number): number | undefined {
  const ms = numberOf(value) * unitMs;
  return Number.isFinite(ms) && ms > 0 && ms < 8.64e15 ? ms : undefined;
}

/** Whatever it is, if it is not too much to be kept. */
export function keptJson(value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  return JSON.stringify(value).length <= longestJson ? value : undefined;
}
