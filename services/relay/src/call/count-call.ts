import { promptTokensOf } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import { answerError, answerHeaders } from '../answer/respond.ts';
import { admit } from '../enter/admit.ts';
import { enterByKey } from '../enter/entrances.ts';
import { readRequest } from '../enter/read-request.ts';
import type { Relay } from '../process/relay.ts';
import { channelsFor } from '../routing/candidates.ts';
import type { Call } from './call.ts';
import type { Address, CountRoute } from './route.ts';

/** Tells what a prompt weighs by our own count, which costs nothing and asks nobody. Counted as a request like any other. */
export async function countCall(relay: Relay, call: Call, { route, address }: { route: CountRoute; address: Address }): Promise<void> {
  let countedFor: number | undefined;
  let status = 200;
  try {
    relay.openCalls.enter(call);
    const entrance = await enterByKey(relay, call);
    countedFor = await admit(relay, call, entrance.caller);
    const reading = await readRequest(relay, call, { route, address, entrance });
    channelsFor(relay, { reading, entrance, route });
    const body = Buffer.from(JSON.stringify(route.answer(promptTokensOf(route.rules.weigh(reading.request)))));
    call.response.writeHead(200, answerHeaders(call, { 'content-type': 'application/json', 'content-length': body.length }));
    call.response.end(body);
  } catch (error) {
    if (!(error instanceof AppError)) relay.logger.error({ requestId: call.id, err: error }, 'a count failed for a reason of our own');
    status = call.isGone ? 499 : answerError(call.response, error, call).status;
    if (!call.request.complete) call.request.removeAllListeners('data').resume(); // what is still coming is not kept
    if (countedFor !== undefined) relay.requestLimit.failed({ userId: countedFor, requestId: call.id });
  } finally {
    relay.openCalls.leave(call);
    relay.metrics.answered(call, status);
  }
}
