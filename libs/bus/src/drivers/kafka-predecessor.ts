import type { Broker, Cluster } from 'kafkajs';
import type { BusLogger } from '../bus.ts';
import { pauseFor } from './backoff.ts';

/** Together less than a session, after which nothing is left to remove. */
const [mostAttempts, againMs] = [30, 100];

/** kafkajs has the request, but not in its types. */
type Coordinator = Broker & { leaveGroup(request: { groupId: string; memberId: string }): Promise<unknown> };

interface Described {
  groups: { members: { memberId: string; clientId: string }[] }[];
}

interface Options {
  group: string;
  clientId: string;
  logger: BusLogger;
  signal: AbortSignal;
}

/**
 * Removes from a group what a process of this name left there when it was killed. Otherwise its partitions wait until its session expires,
 * counted anew when a broker restarts. A live member that is removed joins again. Source:
 * https://kafka.apache.org/protocol#The_Messages_LeaveGroup
 */
export async function removePredecessors(cluster: Cluster, { group, clientId, logger, signal }: Options): Promise<void> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      const coordinator = (await cluster.findGroupCoordinator({ groupId: group })) as Coordinator;
      const { groups } = (await coordinator.describeGroups({ groupIds: [group] })) as Described;
      const left = groups.flatMap(({ members }) => members).filter((member) => member.clientId === clientId);
      for (const { memberId } of left) await coordinator.leaveGroup({ groupId: group, memberId });
      if (left.length > 0) logger.info({ group, removed: left.length }, 'removed the members that a killed process left in the group');
      return;
    } catch (error) {
      if (attempt < mostAttempts)
        await pauseFor(againMs, signal); // a broker that has just started loads its groups first
      else {
        logger.warn({ err: error, group }, 'members that a killed process left in the group stay until their sessions expire');
        return;
      }
    }
  }
}
