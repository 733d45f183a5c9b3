import type { Socket } from 'node:net';
import type { Redis } from 'ioredis';

/**
 * Lets all commands of one turn of the event loop leave in one packet, as one text, each still with its own promise. ioredis'
 * auto-pipelining does the same, but builds a pipeline for every turn; a corked socket is handed as many pieces as there are
 * commands. Either costs more of a call's CPU time. `sendNow`: what was asked for so far leaves before anything else is done.
 */
export function writeInBatches(redis: Redis): { sendNow(): void } {
  const send = redis.sendCommand.bind(redis);
  let waiting = '';
  let socket: Socket;
  const sendNow = () => {
    if (waiting === '') return;
    const text = waiting;
    waiting = '';
    socket.write(text); // of one that has broken since, ioredis sends the commands again
  };
  const batch = {
    write(piece: string | Buffer) {
      if (waiting === '') {
        socket = redis.stream;
        setImmediate(sendNow);
      }
      if (typeof piece === 'string') {
        waiting += piece;
        return true;
      }
      sendNow();
      return redis.stream.write(piece);
    },
  };
  const batched = batch as unknown as Socket; // ioredis asks nothing else of it
  redis.sendCommand = (command, stream) => send(command, stream ?? (redis.status === 'ready' ? batched : undefined));
  return { sendNow };
}
