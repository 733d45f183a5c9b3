import { randomInt } from 'node:crypto';

const letters = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** A new invitation code. Eight characters: four, as older products have them, run out. */
export function newAffCode(): string {
  return Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('');
}
