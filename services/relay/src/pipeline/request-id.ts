import { randomFillSync } from 'node:crypto';

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
