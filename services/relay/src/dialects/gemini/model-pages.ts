import type { JsonObject } from '@tollgate/providers';
import type { ModelView } from '../dialect.ts';
import { wrong } from '../fields.ts';

const mostOnPage = 1000;
const usualPage = 50;

/**
 * The page that is asked for of a list in the order of its names; its token is the last name of the page before.
 * Throws: AppError `invalid_request`. Source: https://ai.google.dev/api/models#method:-models.list
 */
export function pageOf(models: readonly ModelView[], query: URLSearchParams): JsonObject {
  const size = sizeIn(query);
  const last = lastNameIn(query);
  const asked = models.filter(({ id }) => id > last);
  const page = asked.slice(0, size);
  const nextPageToken = page.length < asked.length ? tokenOf(page.at(-1)?.id ?? '') : undefined;
  return { models: page.map(toModel), nextPageToken };
}

/** A page of no size is one of the usual size, and none is larger than the largest. */
function sizeIn(query: URLSearchParams): number {
  const size = Number(query.get('pageSize') ?? 0);
  if (!Number.isInteger(size) || size < 0) throw wrong('pageSize must be an integer from 0', 'pageSize');
  return Math.min(size || usualPage, mostOnPage);
}

function lastNameIn(query: URLSearchParams): string {
  const token = query.get('pageToken') ?? '';
  const name = Buffer.from(token, 'base64url').toString();
  if (tokenOf(name) !== token) throw wrong('pageToken must be the nextPageToken of a list', 'pageToken');
  return name;
}

function tokenOf(name: string): string {
  return Buffer.from(name).toString('base64url');
}

const methods = ['generateContent', 'countTokens', 'embedContent', 'batchEmbedContents'];

export function toModel({ id }: ModelView): JsonObject {
  return { name: `models/${id}`, displayName: id, supportedGenerationMethods: methods };
}
