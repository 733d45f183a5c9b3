import { promptTokensOf } from '@tollgate/contracts';
import { authenticate } from '../auth/authenticate.ts';
import type { Call } from '../context/call.ts';
import { CallerLeft } from '../context/errors.ts';
import type { Relay } from '../context/relay.ts';
import type { Address, CountRoute } from '../context/route.ts';
import { holdNothing, release } from '../quota/hold.ts';
import { type Reading, readRequest } from '../request/read-request.ts';
import { answerError, answerHeaders } from '../response/respond.ts';
import type { StreamWriter } from '../response/stream-writer.ts';
import { type Candidates, channelsFor } from '../routing/candidates.ts';
import { channelPlan } from '../routing/channel-plan.ts';
import { countOf } from '../upstream/upstream-counts.ts';

/** Which count an answer holds: the provider's own, or our estimate. */
const countHeader = 'x-tollgate-count';

/**
 * Answers how many tokens a prompt has, by the count of the channel's provider where it counts for free, else by our own estimate. It costs
 * nothing, and counts as a request like any other.
 */
export async function countCall(relay: Relay, call: Call, { route, address }: { route: CountRoute; address: Address }): Promise<void> {
  let status = 200;
  try {
    relay.openCalls.enter(call);
    const turn = relay.gate.enter(call);
    if (turn !== undefined) await turn;
    const entrance = await authenticate(relay, call);
    await holdNothing(relay, call, entrance.caller);
    const reading = await readRequest(relay, call, { route, address, entrance });
    const candidates = channelsFor(relay, { reading, entrance, route });
    const estimate = promptTokensOf(route.rules.weigh(reading.request));
    const stated = await upstreamCount(relay, call, { reading, route, candidates, estimate });
    const body = Buffer.from(JSON.stringify(route.answer(stated ?? estimate)));
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    call.response.writeHead(200, answerHeaders(call, { ...headers, [countHeader]: stated === undefined ? 'estimated' : 'upstream' }));
    call.response.end(body);
    if (call.hold !== undefined) release(relay, call.hold, { how: 'reported', tokens: 0 });
  } catch (error) {
    if (call.hold !== undefined) release(relay, call.hold);
    status = failCall(relay, call, { error });
    relay.records.failed(call, { status, error });
  } finally {
    relay.openCalls.leave(call);
    relay.metrics.answered(call, status);
  }
}

interface Counting {
  reading: Reading;
  route: CountRoute;
  candidates: Candidates;
  /** Units: tokens. */
  estimate: number;
}

/** The count of a channel that the call itself could go to; undefined where none counts. What may not be sent to a provider is not. */
function upstreamCount(
  relay: Relay,
  call: Call,
  { reading, route, candidates, estimate }: Counting,
): Promise<number | undefined> | undefined {
  const { model } = reading.request;
  const plan = channelPlan({
    tiers: candidates.tiers,
    dialectOf: (channel) => {
      const dialect = candidates.dialectOf(channel);
      return dialect !== undefined && 'counts' in dialect ? dialect : undefined;
    },
    model,
    group: reading.group,
    breakers: relay.breakers,
    promptTokens: estimate,
    sharedNowMs: relay.wallet.time(),
  });
  const channel = plan.first(performance.now());
  const dialect = channel && candidates.dialectOf(channel);
  if (channel === undefined || dialect === undefined || holdsSensitiveWord(relay, reading, route)) return undefined;
  return countOf(relay, call, { reading, channel, dialect });
}

function holdsSensitiveWord({ settings: { hasSensitiveWord } }: Relay, { request }: Reading, { rules }: CountRoute): boolean {
  let isFound = false;
  if (hasSensitiveWord === undefined) return false;
  rules.eachText?.(request, (text) => {
    isFound ||= hasSensitiveWord(text);
  });
  return isFound;
}

/** Tells the caller what failed, in a stream by its last event; returns the status for the log: 499 when there is nobody to tell. */
export function failCall(relay: Relay, call: Call, { error, writer }: { error: unknown; writer?: StreamWriter | undefined }): number {
  if (call.isGone || error instanceof CallerLeft) return 499;
  const told = answerError(call.response, error, call);
  if (writer !== undefined && call.response.headersSent && !call.response.writableEnded) writer.fail(error);
  if (!call.request.complete) call.request.removeAllListeners('data').resume(); // what is still coming is not kept
  if (told.code === 'internal_error') relay.logger.error({ requestId: call.id, err: error }, 'a call failed for a reason of our own');
  return told.status;
}
