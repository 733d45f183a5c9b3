import { type Program, startProgram } from '../processes.ts';
import type { LoadFigures, LoadOrder } from './generator.ts';

/** A load generator in a process of its own. */
export interface Load {
  program: Program;
  run(order: LoadOrder): Promise<LoadFigures>;
}

export async function startLoad(core: number): Promise<Load> {
  const program = await startProgram('load', new URL('generator.ts', import.meta.url).pathname, { core, isReady: async () => true });
  return {
    program,
    run: (order) =>
      new Promise((resolve, reject) => {
        const gone = (): void => reject(new Error('the load generator ended'));
        program.child.once('exit', gone);
        program.child.once('message', (figures) => {
          program.child.off('exit', gone);
          resolve(figures as LoadFigures);
        });
        program.child.send(order);
      }),
  };
}
