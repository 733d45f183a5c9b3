import { type Program, startProgram } from '../processes.ts';
import type { LoadFigures, LoadOrder } from './generator.ts';

/** A load generator in a process of its own. */
export interface Load {
  program: Program;
  run(order: LoadOrder): Promise<LoadFigures>;
  /** The frames that the load under way has received so far. */
  frames(): Promise<number>;
}

interface Told {
  figures?: LoadFigures;
  frames?: number;
}

export async function startLoad(core: number): Promise<Load> {
  const program = await startProgram('load', new URL('generator.ts', import.meta.url).pathname, { core, isReady: async () => true });

  function ask<Key extends keyof Told>(key: Key, question: LoadOrder | 'frames'): Promise<NonNullable<Told[Key]>> {
    return new Promise((resolve, reject) => {
      const gone = (): void => reject(new Error('the load generator ended'));
      const answered = (told: unknown): void => {
        const answer = (told as Told)[key];
        if (answer === undefined) return; // the answer to another question
        program.child.off('exit', gone);
        program.child.off('message', answered);
        resolve(answer);
      };
      program.child.once('exit', gone);
      program.child.on('message', answered);
      program.child.send(question);
    });
  }

  return { program, run: (order) => ask('figures', order), frames: () => ask('frames', 'frames') };
}
