import type { Call } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';

/**
 * One line about a call in the log of this process. `mode` and `stream` are those of its request where it names none itself. The model's name is
 * a caller's text: it is logged only when a channel serves it.
 */
export function logCall(relay: Relay, call: Call, status: number, { mode, stream }: { mode?: string; stream?: boolean } = {}): void {
  const { checked, channel } = call;
  relay.callLog({
    requestId: call.id,
    status,
    mode: mode ?? checked?.mode,
    model: channel === undefined ? undefined : checked?.model,
    userId: checked?.caller.userId,
    tokenId: checked?.caller.tokenId,
    channelId: channel?.id,
    tries: call.triedChannels.length,
    stream: stream ?? checked?.isStream,
    ms: Math.round(call.elapsedMs),
    firstTokenMs: call.firstTokenMs,
    traceId: call.trace?.traceId ?? callersTrace(call),
  });
}

/** The trace that the caller says this call belongs to, where nothing is traced here: https://www.w3.org/TR/trace-context/#traceparent-header */
function callersTrace({ request }: Call): string | undefined {
  const { traceparent } = request.headers;
  return typeof traceparent === 'string' ? /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(traceparent)?.[1] : undefined;
}
