import { type ManagedProcess, managedProcess, type Surroundings } from './managed-process.ts';
import type { Plan } from './plan.ts';
import { Refusal } from './refusal.ts';

/** All processes of the plan as one thing that starts and stops. */
export interface Stack {
  start(): Promise<void>;
  /** In reverse order; each gets the time to finish what it has in hand. */
  stop(): Promise<void>;
  kill(): void;
  processes: ManagedProcess[];
}

/** The engines start side by side, and once they answer, so do the services. */
export function stackOf(plan: Plan, around: Surroundings): Stack {
  const engines = plan.engines.map((spec) => managedProcess(spec, around));
  const services = plan.services.map((spec) => managedProcess(spec, around));
  const processes = [...engines, ...services];
  let isStopping = false;
  return {
    processes,
    async start() {
      await plan.checkGiven();
      await allStarted(engines);
      if (isStopping) return;
      await allStarted(services);
    },
    async stop() {
      isStopping = true;
      for (const each of processes.toReversed()) await each.stop();
    },
    kill() {
      for (const each of processes.toReversed()) each.kill();
    },
  };
}

/** Each tells what it has to tell: settings may be wrong for several of them. Throws Refusal with the words of all that could not start. */
async function allStarted(processes: ManagedProcess[]): Promise<void> {
  const outcomes = await Promise.allSettled(processes.map((each) => each.start()));
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as Error);
  const other = failures.find((failure) => !(failure instanceof Refusal));
  if (other !== undefined) throw other;
  if (failures.length > 0) throw new Refusal(failures.map(({ message }) => message).join('\n\n'));
}
