// Loaded into a service by `--import`: how much CPU time its thread spends between two looks at the event loop at most. It is CPU
// time and not the clock's, so that a machine busy with other work does not count against the service.
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
  process.send?.({ longestMs, rss: process.memoryUsage.rss() });
  if (asked === 'turn') longestMs = 0;
});
process.channel?.unref();
