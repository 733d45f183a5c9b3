import { z } from 'zod';
import { route } from './route.ts';

/** How the product and its money path stand. Times are unix seconds, 0 while they have not come. */
export const systemView = z.object({
  /** The time of the engine that all of them ask, to hold the times below against. */
  now: z.number(),
  /** The processes that were there within the last minute. Each tells of itself every 5 s. */
  processes: z.array(
    z.object({
      service: z.string(),
      /** Host and process. */
      process: z.string(),
      started_time: z.number(),
      seen_time: z.number(),
      /** A private peer that sends X-Forwarded-For without being in TRUSTED_PROXIES: all callers behind it have its address; '' for none. */
      untrusted_proxy: z.string(),
    }),
  ),
  /** Milliseconds of a round trip from the console; -1: it does not answer. Of the bus only billing knows whether it does, and 0 stands here. */
  engines: z.object({ store: z.number(), redis: z.number(), bus: z.number() }),
  /** Events that wait to be charged, as billing told last; -1: nobody has told. */
  lag: z.number(),
  /** Calls that are answered right now, and those that are answered and not charged yet: nearly always none. */
  open_calls: z.number(),
  answered_not_billed: z.number(),
  dead_letters: z.object({
    /** Events that nobody could read, by topic; they wait until they are published again. */
    waiting: z.record(z.string(), z.number()),
    /** When billing looked last. */
    looked_time: z.number(),
    /** Somebody has asked for them to be published again, and it has not begun. */
    replay_wanted: z.boolean(),
    /** The last replay: how many were published again, and how many had been too large to be kept whole. */
    replay_time: z.number(),
    replayed: z.number(),
    kept: z.number(),
  }),
  /** The master keys that are set, and the last sealing anew with the first of them. */
  sealing: z.object({
    /** Seals; the others only open. */
    key_id: z.string(),
    other_key_ids: z.array(z.string()),
    /** What the last sealing anew sealed with; '' before there was one. Another than `key_id`: the older keys still hold some. */
    sealed_key_id: z.string(),
    started_time: z.number(),
    /** 0 while it runs. */
    ended_time: z.number(),
    /** Rows that may hold secrets, those that were looked at, those that changed, those with a secret that no key opens. */
    total: z.number(),
    looked: z.number(),
    changed: z.number(),
    unreadable: z.number(),
  }),
});
export type SystemView = z.infer<typeof systemView>;

export const systemRoutes = {
  'GET /api/system': route({
    summary: 'How it all stands: processes, engines, events that wait, open calls, answered and not billed, dead letters',
    access: 'root',
    answer: systemView,
  }),
  'POST /api/system/replay': route({
    summary: 'Has the events that nobody could read published again, within seconds; do it once their cause is mended',
    access: 'root',
  }),
  'POST /api/system/reseal': route({
    summary: 'Has every stored secret sealed with the newest master key, by a job; refused while one runs',
    access: 'root',
    needs: 'an older master key',
  }),
};
