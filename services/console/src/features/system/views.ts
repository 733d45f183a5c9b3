import type { DeadLettersState, Presence } from '@tollgate/bus';
import type { SystemView } from '@tollgate/contracts';
import type { ResealProgress } from './reseal.ts';

interface Found {
  counts: { open: number; reported: number };
  deadLetters: (DeadLettersState & { isWanted: boolean }) | undefined;
  seen: { processes: Presence[]; nowMs: number };
  pings: { store: number; redis: number };
}

/** Who has not told of itself for so long is not asked what it said last. */
const silentAfterMs = 15_000;

export function systemView({ counts: { open, reported }, deadLetters, seen, pings }: Found): Omit<SystemView, 'sealing'> {
  const replay = deadLetters?.replay;
  const { nowMs } = seen;
  const lags = seen.processes.filter(({ atMs }) => nowMs - atMs <= silentAfterMs).flatMap(({ lag }) => lag ?? []);
  const lag = Math.max(-1, ...lags);
  return {
    now: seconds(nowMs),
    processes: seen.processes
      .map(({ service, process, startedAtMs, atMs, untrustedProxy = '' }) => ({
        service,
        process,
        started_time: seconds(startedAtMs),
        seen_time: seconds(atMs),
        untrusted_proxy: untrustedProxy,
      }))
      .sort((one, other) => `${one.service} ${one.process}`.localeCompare(`${other.service} ${other.process}`)),
    engines: { ...pings, bus: Math.min(0, lag) },
    lag,
    open_calls: open,
    answered_not_billed: reported,
    dead_letters: {
      waiting: deadLetters?.waiting ?? {},
      looked_time: seconds(deadLetters?.atMs),
      replay_wanted: deadLetters?.isWanted ?? false,
      replay_time: seconds(replay?.atMs),
      replayed: replay?.replayed ?? 0,
      kept: replay?.kept ?? 0,
    },
  };
}

export function sealingView([keyId = '', ...others]: string[], reseal: ResealProgress | undefined): SystemView['sealing'] {
  return {
    key_id: keyId,
    other_key_ids: others,
    sealed_key_id: reseal?.keyId ?? '',
    started_time: seconds(reseal?.startedAt),
    ended_time: seconds(reseal?.endedAt),
    total: reseal?.total ?? 0,
    looked: reseal?.looked ?? 0,
    changed: reseal?.changed ?? 0,
    unreadable: reseal?.unreadable ?? 0,
  };
}

function seconds(ms: number | undefined): number {
  return Math.floor((ms ?? 0) / 1000);
}
