import type { ChatRequest } from '@tollgate/providers';
import { chat } from '../../modes/chat.ts';
import type { CountRoute, RelayRoute } from '../../pipeline/route.ts';
import type { ToldError } from '../../response/client-error.ts';
import type { CallerDialect } from '../dialect.ts';
import { openai } from '../openai/openai.ts';
import { EventWriter, PassedEvents } from './event-writer.ts';
import { responsesRequest } from './responses-request.ts';
import { wholeResponse } from './whole-response.ts';

/** What everybody else's callers say in `messages` stands in these callers' `input`. */
function inTheirWords(error: ToldError): ToldError {
  return error.param === 'messages' ? { ...error, param: 'input' } : error;
}

/** Texts, whatever a provider has said: clients read no others. */
function codeOf({ code }: ToldError): string | null {
  return code === null ? null : String(code);
}

function eventOf(event: { type: string; sequence_number: number } & Record<string, unknown>): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/**
 * Who calls OpenAI's Responses. That a stream breaks off is told twice, as OpenAI does: some clients hear the one event, some the other.
 * Sources: https://platform.openai.com/docs/api-reference/responses-streaming/error and .../response/failed
 */
export const responses: CallerDialect = {
  ...openai,
  name: 'responses',
  endpoint: '/v1/responses',
  answerModel: { whole: ['model'], event: ['response', 'model'] },
  answerId: (callId) => `resp_${callId}`,
  errorBody: (error) => openai.errorBody(inTheirWords(error)),
  errorEvent(error, at = 0) {
    const { message, param } = inTheirWords(error);
    const code = codeOf(error);
    const failed = { id: `resp_${error.requestId}`, object: 'response', status: 'failed', output: [], usage: null };
    return (
      eventOf({ type: 'error', sequence_number: at, code, message, param }) +
      eventOf({
        type: 'response.failed',
        sequence_number: at + 1,
        response: { ...failed, incomplete_details: null, error: { code: code ?? 'server_error', message } },
      })
    );
  },
};

/** POST /v1/responses. */
export const responsesRoute: RelayRoute<ChatRequest> = {
  dialect: responses,
  rules: chat,
  read: responsesRequest,
  whole: wholeResponse,
  atHome: (provider) => provider.responses,
  writer: (reading, options) =>
    options.isSame && reading.isAsSent ? new PassedEvents(reading, options) : new EventWriter(reading, options),
};

/** POST /v1/responses/input_tokens. */
export const inputTokensRoute: CountRoute<ChatRequest> = {
  dialect: responses,
  rules: chat,
  read: responsesRequest,
  atHome: (provider) => provider.responses,
  answer: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
};
