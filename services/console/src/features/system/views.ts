import type { DeadLettersState } from '@tollgate/bus';
import type { SystemView } from '@tollgate/contracts';

type Looked = DeadLettersState & { isWanted: boolean };

export function systemView({ open, reported }: { open: number; reported: number }, deadLetters: Looked | undefined): SystemView {
  const replay = deadLetters?.replay;
  return {
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

function seconds(ms: number | undefined): number {
  return Math.floor((ms ?? 0) / 1000);
}
