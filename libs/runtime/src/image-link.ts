import { createHash, createHmac } from 'node:crypto';
import { derivedKeys } from './derived-key.ts';
import { isOneOf } from './same-bytes.ts';

const hourMs = 3_600_000;
const lifeHours = 24;

/** Signed links to task images. They work for a day without a login and cannot be forged. */
export interface ImageLinks {
  /**
   * `/mj/image/<id>?...` for a task's image. The link stays the same for an hour and while the image is the same, so that browsers can
   * cache it and responses change only with the task.
   */
  link(taskId: string, image: { url: string; nowMs: number }): string;
  /** Whether the query string of such a link has a valid signature and has not expired. */
  isValid(taskId: string, query: URLSearchParams, nowMs: number): boolean;
}

export function imageLinks(masterKey: Buffer, also: readonly Buffer[] = []): ImageLinks {
  const keys = derivedKeys(masterKey, also, 'tollgate:images:v1');
  const sign = (key: Buffer, taskId: string, expires: string): string =>
    createHmac('sha256', key).update(`${taskId}:${expires}`).digest('base64url');
  return {
    link(taskId, { url, nowMs }) {
      const expires = String((Math.floor(nowMs / hourMs) + lifeHours + 1) * (hourMs / 1000));
      const version = createHash('sha256').update(url).digest('hex').slice(0, 8);
      return `/mj/image/${taskId}?expires=${expires}&v=${version}&sign=${sign(keys[0], taskId, expires)}`;
    },
    isValid(taskId, query, nowMs) {
      const expires = query.get('expires') ?? '';
      const given = Buffer.from(query.get('sign') ?? '');
      const wanted = keys.map((key) => Buffer.from(sign(key, taskId, expires)));
      return isOneOf(given, wanted) && Number(expires) * 1000 > nowMs;
    },
  };
}
