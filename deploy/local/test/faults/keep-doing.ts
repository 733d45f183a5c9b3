import { setTimeout as delay } from 'node:timers/promises';

const doing = new Set<Doing>();

interface Doing {
  end(): Promise<void>;
}

/** Does it again and again until it is told to end. */
export function keepDoing(work: () => Promise<unknown>, { everyMs = 0 } = {}): Doing {
  let isOver = false;
  const going = (async () => {
    while (!isOver) {
      await work();
      await delay(everyMs);
    }
  })();
  const self: Doing = {
    async end() {
      isOver = true;
      doing.delete(self);
      await going;
    },
  };
  doing.add(self);
  return self;
}

/** Whatever a test that failed has left going. */
export async function endAll(): Promise<void> {
  await Promise.all([...doing].map((each) => each.end()));
}
