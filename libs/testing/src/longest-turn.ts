import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Loaded into a service by `--import`: what it keeps in memory, and how much CPU time its thread spends between two looks at the event
// loop at most. It is CPU time and not the clock's, so that a machine busy with other work does not count against the service.
let last = process.threadCpuUsage();
let longestMs = 0;
const look = () => {
  const { user, system } = process.threadCpuUsage(last);
  last = process.threadCpuUsage();
  longestMs = Math.max(longestMs, (user + system) / 1000);
};
setInterval(look, 1).unref();
process.on('message', (asked) => {
  look();
  if (asked === 'kept') collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ longestMs, rss, kept: heapUsed + external });
  if (asked === 'turn') longestMs = 0;
});

/** Twice: what the first collection finishes may have held something. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  gc();
  gc();
}
process.channel?.unref();
