import { hashOfId } from '../openai/call-ids.ts';

const known = /^[a-zA-Z0-9_-]+$/;

/** Whether a call of a tool is called so there; others call theirs `functions.f:0`. */
export function isCallId(id: string): boolean {
  return known.test(id);
}

/** An id as it is taken there, alike in a call and its result. */
export function callIdOf(id: string): string {
  return isCallId(id) ? id : `call_${hashOfId(id)}`;
}
