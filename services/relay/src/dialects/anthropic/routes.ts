import type { ChatRequest } from '@tollgate/providers';
import { chat } from '../../modes/chat.ts';
import type { CountRoute, RelayRoute } from '../../pipeline/route.ts';
import { anthropic } from './anthropic.ts';
import { EventWriter } from './event-writer.ts';
import { countedRequest, messagesRequest } from './messages-request.ts';
import { PassedEvents } from './passed-events.ts';
import { wholeMessage } from './whole-message.ts';

/** POST /v1/messages. */
export const messagesRoute: RelayRoute<ChatRequest> = {
  dialect: anthropic,
  rules: chat,
  read: messagesRequest,
  whole: wholeMessage,
  writer: (reading, { isSame }) => (isSame && reading.isAsSent ? new PassedEvents(reading) : new EventWriter(reading)),
};

/** POST /v1/messages/count_tokens. */
export const countRoute: CountRoute<ChatRequest> = {
  dialect: anthropic,
  rules: chat,
  read: countedRequest,
  answer: (tokens) => ({ input_tokens: tokens }),
};
