import type { ChatRequest } from '@tollgate/providers';
import { chat } from '../../modes/chat.ts';
import type { CountRoute, RelayRoute } from '../../pipeline/route.ts';
import { EventWriter } from './event-writer.ts';
import { PassedEvents } from './passed-events.ts';
import { responses } from './responses.ts';
import { responsesRequest } from './responses-request.ts';
import { wholeResponse } from './whole-response.ts';

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
