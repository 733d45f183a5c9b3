import type { Redis } from 'ioredis';

/**
 * Lets all commands of one turn of the event loop leave in one packet, each still with its own promise. ioredis' auto-pipelining
 * does the same, but builds a pipeline and one long text for every turn: that costs a tenth of a call's CPU time more.
 */
export function writeInBatches(redis: Redis): Redis {
  const send = redis.sendCommand.bind(redis);
  let isCorked = false;
  redis.sendCommand = (command, stream) => {
    const socket = redis.stream; // missing until connected; then ioredis queues by itself
    if (!isCorked && socket !== undefined) {
      isCorked = true;
      socket.cork();
      setImmediate(() => {
        isCorked = false;
        socket.uncork();
      });
    }
    return send(command, stream);
  };
  return redis;
}
