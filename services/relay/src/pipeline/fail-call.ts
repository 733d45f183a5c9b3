import type { Relay } from '../context/relay.ts';
import { CallerLeft } from '../request/decoded-body.ts';
import { answerError } from '../response/respond.ts';
import type { StreamWriter } from '../response/stream-writer.ts';
import type { Call } from './call.ts';

/** Tells the caller what failed, in a stream by its last event; returns the status for the log: 499 when there is nobody to tell. */
export function failCall(relay: Relay, call: Call, { error, writer }: { error: unknown; writer?: StreamWriter | undefined }): number {
  if (call.isGone || error instanceof CallerLeft) return 499;
  const told = answerError(call.response, error, call);
  if (writer !== undefined && call.response.headersSent && !call.response.writableEnded) writer.fail(error);
  if (!call.request.complete) call.request.removeAllListeners('data').resume(); // what is still coming is not kept
  if (told.code === 'internal_error') relay.logger.error({ requestId: call.id, err: error }, 'a call failed for a reason of our own');
  return told.status;
}
