import type { IncomingMessage } from 'node:http';
import type { ClientError } from '../../context/errors.ts';
import { type CallerDialect, given, keysIn } from '../dialect.ts';

/** Who calls as OpenAI is called. */
export const openai: CallerDialect = {
  name: 'openai',
  endpoint: '/v1/chat/completions',
  credentials: (request) => keysIn(request, 'authorization'),
  answerModel: { whole: ['model'], event: ['model'] },
  answerId: (callId) => `chatcmpl-${callId}`,
  errorBody,
  errorEvent: (error) => `data: ${errorBody(error)}\n\n`,
  heartbeat: ': ping\n\n',
  modelList: (models) => ({ object: 'list', data: models }),
  model: (model) => ({ ...model }),
};

function errorBody({ message, type, param, code, failedGeneration }: ClientError): string {
  return JSON.stringify({ error: { message, type, param, code, failed_generation: failedGeneration } });
}

const keyProtocol = 'openai-insecure-api-key.';

/**
 * Who opens a spoken session. A browser can set no header on a WebSocket: it puts the key into the list of subprotocols.
 * Source: https://platform.openai.com/docs/guides/realtime-websocket
 */
export const realtime: CallerDialect = {
  ...openai,
  credentials(request, query) {
    const own = protocolsOf(request).find((name) => name.startsWith(keyProtocol));
    const asked = new URLSearchParams(query);
    return given(own?.slice(keyProtocol.length), ...keysIn(request, 'api-key'), asked.get('key'), asked.get('api-key'));
  },
  passedHeaders: ['openai-beta'],
  answerModel: { whole: ['session', 'model'], event: ['session', 'model'] },
};

/** The subprotocols that a caller offers. */
export function protocolsOf({ headers }: IncomingMessage): string[] {
  return (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
}
