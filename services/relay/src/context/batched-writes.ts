import type { Socket } from 'node:net';
import type { Redis } from 'ioredis';

/**
 * Lets all commands of one turn of the event loop leave in one packet, as one text, each still with its own promise. ioredis'
 * auto-pipelining does the same, but builds a pipeline for every turn; a corked socket is handed as many pieces as there are
 * commands. Either costs more of a call's CPU time. `sendNow`: what was asked for so far leaves before anything else is done. `atEnd`: a
 * last word before the turn's commands leave.
 */
export function writeInBatches(redis: Redis): { sendNow(): void; atEnd(say: () => void): void } {
  const send = redis.sendCommand.bind(redis);
  let waiting = '';
  let socket: Socket;
  let lastWords: (() => void)[] = [];
  let isEnding = false;
  const write = () => {
    if (waiting === '') return;
    const text = waiting;
    waiting = '';
    socket.write(text); // of one that has broken since, ioredis sends the commands again
  };
  const sendNow = () => {
    const words = lastWords;
    lastWords = [];
    for (const say of words) say();
    write();
  };
  const waitForEnd = () => {
    if (isEnding) return;
    isEnding = true;
    setImmediate(() => {
      try {
        sendNow();
      } finally {
        isEnding = false; // not before: what the last words ask for leaves with them, and wants no turn of its own
        if (lastWords.length > 0) waitForEnd();
      }
    });
  };
  const batch = {
    write(piece: string | Buffer) {
      if (waiting === '') {
        socket = redis.stream;
        waitForEnd();
      }
      if (typeof piece === 'string') {
        waiting += piece;
        return true;
      }
      write();
      return redis.stream.write(piece);
    },
  };
  const batched = batch as unknown as Socket; // ioredis asks nothing else of it
  redis.sendCommand = (command, stream) => {
    if (stream !== undefined) write(); // a pipeline writes to the socket itself: what was asked before it is answered before it
    return send(command, stream ?? (redis.status === 'ready' ? batched : undefined));
  };
  return {
    sendNow,
    atEnd(say) {
      lastWords.push(say);
      waitForEnd();
    },
  };
}
