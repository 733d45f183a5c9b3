import { type IncomingMessage, ServerResponse } from 'node:http';
import { noUsage } from '@tollgate/contracts';
import { AppError, languageOf } from '@tollgate/runtime';
import type { WebSocket } from 'ws';
import { authenticate } from '../auth/authenticate.ts';
import type { AuthContext } from '../auth/callers.ts';
import { Call, type CheckedCall, newRequestId } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import type { RelayRoute } from '../context/route.ts';
import { wrong } from '../dialects/fields.ts';
import { protocolsOf, realtime as realtimeCaller } from '../dialects/openai/openai.ts';
import { realtime } from '../modes/realtime.ts';
import { firstOf } from '../pipeline/attempts.ts';
import { leaseChannel } from '../quota/limits.ts';
import { runOf } from '../quota/runs.ts';
import { logCall } from '../records/log-call.ts';
import { assertGroup, type Reading } from '../request/read-request.ts';
import { answerError } from '../response/respond.ts';
import { type Candidates, channelsFor } from '../routing/candidates.ts';
import { channelPlan } from '../routing/channel-plan.ts';
import { acceptedSocket, Line, openLine, type Upgrade } from './line.ts';
import type { SessionCall } from './round.ts';
import { holdSession, releaseSession, Session } from './session.ts';

const route: Pick<RelayRoute, 'dialect' | 'rules'> = { dialect: realtimeCaller, rules: realtime as RelayRoute['rules'] };
const longestModelName = 255;

/** One session, from its first byte to its last. The caller is let in when a provider is there: until then he is refused by plain HTTP. */
export async function answerUpgrade(relay: Relay, { request, socket, head }: Upgrade): Promise<void> {
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  response.shouldKeepAlive = false;
  const atMs = relay.wallet.time();
  const call = new Call(newRequestId(atMs), {
    request,
    response,
    atMs,
    dialect: realtimeCaller,
    language: languageOf(request.headers['accept-language']),
    query: request.url?.split('?', 2)[1] || undefined,
  });
  const memory = {
    keep: (bytes: number) => relay.openCalls.buffer(call, bytes),
    letGo: (bytes: number) => relay.openCalls.letGo(call, bytes),
  };
  let status = 101;
  let isOpened = false;
  try {
    relay.openCalls.enter(call);
    assertHandshake(request);
    const entrance = await authenticate(relay, call);
    const { checked, candidates } = checkedSession(relay, call, entrance);
    call.run = await runOf(relay, call, entrance.caller, { body: {} });
    const { model, group } = checked.checked;
    let session: SessionCall | undefined;
    const plan = channelPlan({
      ...candidates,
      model,
      group,
      breakers: relay.breakers,
      promptTokens: 0,
      sharedNowMs: relay.wallet.time(),
      take: (channel) => leaseChannel(relay, call, channel),
    });
    await holdSession(relay, checked, plan.first(performance.now()));
    const provider = await firstOf(relay, checked, {
      plan,
      most: entrance.channelId === undefined ? relay.settings.options.RetryTimes + 1 : 1,
      ask(asked, { channel, dialect }) {
        session = asked;
        return openLine(relay, asked, { channel, dialect, memory });
      },
    });
    response.detachSocket(socket);
    const line = await accepted(relay, call, { request, socket, head }).catch((cause: unknown) => {
      provider.cut();
      throw cause;
    });
    const caller = new Line(line, memory);
    const callerNow = async () => (await authenticate(relay, call)).caller;
    isOpened = true;
    await new Session(relay, session as unknown as SessionCall, { caller, provider, callerNow }).ended;
  } catch (error) {
    ({ status } = answerError(response, error, call));
    if (status >= 500 && !(error instanceof AppError)) relay.logger.warn({ requestId: call.id, err: error }, 'a session was not opened');
    if (response.socket === null) socket.destroy();
    else response.once('finish', () => socket.destroySoon());
    relay.metrics.answered(call, status);
    relay.records.failed(call, { status, error });
  } finally {
    releaseSession(relay, call, { isOpened });
    relay.openCalls.leave(call);
    logCall(relay, call, status, { mode: 'realtime', stream: true });
  }
}

/** Before anybody is asked. Source: https://www.rfc-editor.org/rfc/rfc6455#section-4.2.1 */
function assertHandshake({ headers }: IncomingMessage): void {
  const isWhole = headers['sec-websocket-version'] === '13' && /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '');
  if (!isWhole) throw wrong('the handshake must have Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key');
}

/** Who may serve a session, and what it is. Throws: AppError. */
function checkedSession(relay: Relay, call: Call, entrance: AuthContext): { checked: CheckedCall; candidates: Candidates } {
  const { caller } = entrance;
  const asked = new URLSearchParams(call.query);
  for (const name of ['intent', 'call_id']) if (asked.has(name)) throw wrong(`${name}: only sessions with a model are offered here`, name);
  const model = asked.get('model') ?? asked.get('deployment') ?? '';
  if (model === '' || model.length > longestModelName) throw wrong('model is required: the name of a model', 'model');
  call.model = model;
  const group = caller.tokenGroup || caller.userGroup;
  if (caller.tokenGroup !== '') assertGroup(relay, group, caller);
  if (caller.modelLimits !== undefined && !caller.modelLimits.has(model)) throw new AppError('model_not_found', { model });
  const sent = { bytes: Buffer.alloc(0), long: undefined, json: {}, address: {} };
  const reading: Reading = { request: { model }, sent, group, changes: undefined };
  const candidates = channelsFor(relay, { reading, entrance, route });
  const price = relay.settings.price(model, group, call.atMs);
  if (price === undefined) throw new AppError('unpriced_model', { model });
  const { tokenName } = caller;
  const facts = { caller, group, tokenName, mode: 'realtime', model, isStream: true, price, promptEstimate: noUsage } as const;
  const checked = Object.assign(call, {
    checked: { ...facts, extras: undefined, reasoningEffort: undefined, most: undefined, bill: undefined },
  });
  return { checked, candidates };
}

/** The caller's side as a WebSocket. Of the subprotocols that he offers the one is chosen that holds no key. */
function accepted(relay: Relay, call: Call, upgrade: Upgrade): Promise<WebSocket> {
  return acceptedSocket(upgrade, {
    answered: [`x-request-id: ${call.id}`, `x-oneapi-request-id: ${call.id}`],
    maxPayload: relay.limits.RELAY_REALTIME_MESSAGE_BYTES,
    handleProtocols: () => (protocolsOf(upgrade.request).includes('realtime') ? 'realtime' : false),
  });
}
