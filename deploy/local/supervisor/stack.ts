import { type ManagedProcess, managedProcess, type Surroundings } from './managed-process.ts';
import type { Plan } from './plan.ts';

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
      await Promise.all(engines.map((engine) => engine.start()));
      if (isStopping) return;
      await Promise.all(services.map((service) => service.start()));
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
