import { errorFrom, readError, statedError } from './error-text.ts';
import { eventObject, unreadable } from './read-answer-shape.ts';
import type { FailedAnswer } from './upstream-error.ts';

/** What an exchange of OAuth's answers, with a good status and with others. */
export function readToken(answer: FailedAnswer, key: string): { token: string; lifetimeMs: number } {
  const stated = eventObject(answer.body);
  const { access_token: token, expires_in: seconds } = stated ?? {};
  if (answer.status === 200 && typeof token === 'string' && token !== '') {
    return { token, lifetimeMs: typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : 60_000 };
  }
  if (typeof stated?.error !== 'string') {
    if (answer.status === 200) throw unreadable('no token');
    throw readError(answer, key);
  }
  // OAuth's words: the code stands where others have their text.
  const words = { ...statedError({ message: stated.error_description ?? stated.error }), code: stated.error };
  throw errorFrom(words, { status: answer.status, key, kind: answer.status < 500 ? 'credentials' : undefined });
}
