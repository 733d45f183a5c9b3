import type { Caller } from './callers.ts';

/** Who calls, and how he came in. */
export interface Entrance {
  caller: Caller;
  /** The channel that an administrator named. */
  channelId: number | undefined;
  /** The console's own playground: the body names the group, the request limit and the IP list are not asked. */
  isPlayground: boolean;
}
