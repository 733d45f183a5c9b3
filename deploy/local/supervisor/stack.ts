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

/**
 * The engines start side by side, and once they answer, so do the services. A datastore that the user named and that does not answer fails the
 * first start, when its address is likely to be wrong; an installation that has worked before starts without it.
 */
export function stackOf(plan: Plan, around: Surroundings & { hasWorkedBefore: boolean }): Stack {
  const engines = plan.engines.map((spec) => managedProcess(spec, around));
  const services = plan.services.map((spec) => managedProcess(spec, around));
  const processes = [...engines, ...services];
  let isStopping = false;
  return {
    processes,
    async start() {
      const absences = await plan.checkGiven();
      if (!around.hasWorkedBefore && absences[0] !== undefined) throw absences[0];
      for (const { message } of absences) around.say(`${message} Tollgate starts without it and goes on when it answers.`);
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
