import { type ChatRequest, compactionAt } from '@tollgate/providers';
import type { ClientError } from '../../context/errors.ts';
import type { CountRoute, RelayRoute } from '../../context/route.ts';
import { chat } from '../../modes/text.ts';
import type { CallerDialect } from '../dialect.ts';
import { openai } from '../openai/openai.ts';
import { asksCompaction, CompactionWriter, wholeCompaction } from './compaction.ts';
import { EventWriter, PassedEvents } from './event-writer.ts';
import { prepareCreate, prepareInput } from './prepare.ts';
import { envelopeOf, failureEvents, responseObject } from './response-object.ts';
import { compactRequest, responsesRequest } from './responses-request.ts';
import { wholeResponse } from './whole-response.ts';

/** What everybody else's callers say in `messages` stands in these callers' `input`. */
function inTheirWords(error: ClientError): ClientError {
  return error.param === 'messages' ? { ...error, param: 'input' } : error;
}

/** Callers of OpenAI's Responses. */
export const responses: CallerDialect = {
  ...openai,
  name: 'responses',
  endpoint: '/v1/responses',
  answerModel: { whole: ['model'], event: ['response', 'model'] },
  answerId: (callId) => `resp_${callId}`,
  errorBody: (error) => openai.errorBody(inTheirWords(error)),
  errorEvent(error, { envelope = envelopeOf({}, error.requestId), model = '' } = {}) {
    const head = { createdSeconds: Math.floor(Date.now() / 1000), model };
    const response = responseObject(head, envelope, { status: 'failed', output: [], tier: undefined, usage: null });
    return failureEvents(inTheirWords(error), response, 0);
  },
};

/** POST /v1/responses. */
export const responsesRoute: RelayRoute<ChatRequest> = {
  dialect: responses,
  rules: chat,
  prepare: prepareCreate,
  read: responsesRequest,
  whole: wholeResponse,
  nativeDialect: (provider) => provider.responses,
  writer(reading, options) {
    if (options.isSame && reading.isAsSent) return new PassedEvents(reading, options);
    return asksCompaction(options.sent) ? new CompactionWriter(reading, options) : new EventWriter(reading, options);
  },
};

/** POST /v1/responses/compact. */
export const compactRoute: RelayRoute<ChatRequest> = {
  dialect: responses,
  rules: chat,
  prepare(relay, call, asked) {
    call.envelope = envelopeOf(asked.sent.json, responses.answerId(call.id));
    return prepareInput(relay, call, asked);
  },
  read: compactRequest,
  whole: wholeCompaction,
  nativeDialect: (provider) => provider.responses && compactionAt(provider.responses),
  writer: (reading, options) => new CompactionWriter(reading, options),
};

/** POST /v1/responses/input_tokens. */
export const inputTokensRoute: CountRoute<ChatRequest> = {
  dialect: responses,
  rules: chat,
  prepare: prepareInput,
  read: responsesRequest,
  nativeDialect: (provider) => provider.responses,
  answer: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
};
