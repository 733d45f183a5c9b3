import { UpstreamError } from '@tollgate/providers';
import { upstreamFailure } from '../context/errors.ts';
import type { Passage, Pieces, StreamState } from './stream-session.ts';

/** Frames before the first content are held back up to here, in bytes, so that a provider that dies at once can still be replaced. */
const mostHeldBack = 1024 * 1024;
const colon = 0x3a;

/** Nothing of the answer is out: a failure is free, and another channel may be asked. */
export function waiting(passage: Passage): StreamState {
  const { reading, writer } = passage;
  const held: Pieces = [];
  return {
    deliver(out) {
      for (const piece of out) {
        if (passage.heldBytes + piece.length > mostHeldBack && isComment(piece)) continue; // it only keeps the line alive
        held.push(piece);
        passage.heldBytes += piece.length;
      }
      if (!reading.hasContent && passage.heldBytes <= mostHeldBack) return;
      passage.heldBytes = 0;
      passage.state = delivering(passage);
      passage.state.deliver(held);
    },
    account: () => undefined,
    completed() {
      if (!reading.hasAnswer) return passage.fail(upstreamFailure('unreadable', 'upstream_bad_answer'));
      writer.write(held);
      const bill = passage.wholeBill();
      void passage.close({ ...bill, endReason: 'complete' }, () => passage.sayEnd(bill.usage));
    },
    stopped: () => passage.stop(),
    broke: (error) => passage.fail(error),
    callerLeft: () => passage.fail(upstreamFailure('interrupted', 'upstream_interrupted')),
  };
}

function isComment(piece: Buffer | string): boolean {
  return typeof piece === 'string' ? piece.startsWith(':') : piece[0] === colon;
}

/** The answer goes out as it comes, no faster than the caller takes it and its bill is noted. */
function delivering(passage: Passage): StreamState {
  const { reading, words, writer, delivery, exchange } = passage;
  const pace = () => {
    if (writer.isFull || delivery.isBehind) exchange.pause();
    else exchange.resume();
  };
  writer.onDrain = () => {
    reading.mark();
    pace();
  };
  delivery.onNoted = pace;
  passage.letGoOfRequest();
  delivery.begun();
  return {
    deliver(out) {
      if (writer.write(out)) reading.mark();
    },
    account(bytes) {
      if (delivery.passed(bytes) !== 'exhausted') return pace();
      const bill = passage.partialBill();
      void passage.close({ ...bill, endReason: 'balance' }, () => {
        writer.write([words.cut()]);
        passage.sayEnd(bill.usage);
      });
    },
    completed() {
      const bill = passage.wholeBill();
      void passage.close({ ...bill, endReason: 'complete' }, () => passage.sayEnd(bill.usage));
    },
    stopped: () => passage.stop(),
    broke(error, endReason) {
      const { relay, call, channel } = passage;
      if (error instanceof UpstreamError) {
        relay.logger.warn({ requestId: call.id, channelId: channel.id, kind: error.kind, err: error }, 'an answer broke off');
      }
      void passage.close({ ...passage.partialBill(), endReason }, () => passage.sayFailed(error));
    },
    callerLeft() {
      const isStalled = writer.isFull;
      const cancels = passage.channel.settings.on_abort === 'cancel';
      // What the caller has got for certain, should what waits for him be lost.
      const delivered = isStalled ? reading.marked : reading.delivered;
      if (isStalled || cancels) void passage.close({ ...passage.partialBill(delivered), endReason: 'client_gone' }, () => undefined);
      else passage.state = draining(passage);
    },
  };
}

/** The caller has left: the rest is read, up to a bound, for the provider's count of it. */
function draining(passage: Passage): StreamState {
  const { reading, exchange } = passage;
  const { UPSTREAM_DRAIN_MS, UPSTREAM_DRAIN_BYTES } = passage.relay.limits;
  const { delivered } = reading;
  let drainedBytes = 0;
  const close = (bill = passage.partialBill(delivered)) => {
    clearTimeout(timer);
    void passage.close({ ...bill, endReason: 'client_gone' }, () => undefined);
  };
  const timer = setTimeout(close, UPSTREAM_DRAIN_MS);
  exchange.resume();
  return {
    deliver: () => undefined,
    account(bytes) {
      drainedBytes += bytes;
      if (drainedBytes > UPSTREAM_DRAIN_BYTES) close();
    },
    completed: () => close(passage.wholeBill()),
    stopped: () => close(),
    broke: () => close(),
    callerLeft: () => undefined,
  };
}
