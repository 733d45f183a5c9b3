import { channelStatus } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import { providerOf } from '@tollgate/providers';
import { slices } from '@tollgate/runtime';

/** The models that enabled channels offer, and in which groups. The same object until a channel changes. */
export type Offered = ReadonlyMap<string, ReadonlySet<string>>;

export interface OfferedModels {
  /** Reads the channels when one of them has changed since they were last read; whoever asks meanwhile waits for the same reading. */
  read(): Promise<Offered>;
  /** A channel has changed. */
  forget(): void;
}

const batchSize = 200;

export function offeredModels(): OfferedModels {
  let reading: Promise<Offered> | undefined;
  return {
    read() {
      if (reading !== undefined) return reading;
      const begun = readOffered();
      reading = begun;
      begun.catch(() => {
        if (reading === begun) reading = undefined; // the next one tries again
      });
      return begun;
    },
    forget() {
      reading = undefined;
    },
  };
}

/** Reads all channels in slices: there may be thousands, and others wait for the console. */
async function readOffered(): Promise<Offered> {
  const groupsOf = new Map<string, Set<string>>();
  const pause = slices();
  const fields = { _id: 0, type: 1, models: 1, groups: 1 };
  for await (const channel of Channel.find({ status: channelStatus.enabled }).select(fields).lean().cursor({ batchSize })) {
    if (!providerOf(channel.type)) continue; // the relay has nothing to speak to it with
    for (const model of channel.models) {
      const known = groupsOf.get(model) ?? new Set();
      for (const group of channel.groups) known.add(group);
      groupsOf.set(model, known);
    }
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  return groupsOf;
}
