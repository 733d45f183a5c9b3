import { promptTokensOf } from '@tollgate/contracts';
import { enterByKey } from '../auth/authenticate.ts';
import type { Relay } from '../context/relay.ts';
import { holdNothing } from '../quota/free-calls.ts';
import { release } from '../quota/hold.ts';
import { readRequest } from '../request/read-request.ts';
import { answerHeaders } from '../response/respond.ts';
import { channelsFor } from '../routing/candidates.ts';
import type { Call } from './call.ts';
import { failCall } from './fail-call.ts';
import type { Address, CountRoute } from './route.ts';

/** Tells what a prompt weighs by our own count, which costs nothing and asks nobody. Counted as a request like any other. */
export async function countCall(relay: Relay, call: Call, { route, address }: { route: CountRoute; address: Address }): Promise<void> {
  let status = 200;
  try {
    relay.openCalls.enter(call);
    const turn = relay.gate.enter(call);
    if (turn !== undefined) await turn;
    const entrance = await enterByKey(relay, call);
    await holdNothing(relay, call, entrance.caller);
    const reading = await readRequest(relay, call, { route, address, entrance });
    channelsFor(relay, { reading, entrance, route });
    const body = Buffer.from(JSON.stringify(route.answer(promptTokensOf(route.rules.weigh(reading.request)))));
    call.response.writeHead(200, answerHeaders(call, { 'content-type': 'application/json', 'content-length': body.length }));
    call.response.end(body);
    if (call.hold !== undefined) release(relay, call.hold, { how: 'reported', tokens: 0 });
  } catch (error) {
    if (call.hold !== undefined) release(relay, call.hold);
    status = failCall(relay, call, { error });
  } finally {
    relay.openCalls.leave(call);
    relay.metrics.answered(call, status);
  }
}
