import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerAway } from '@tollgate/runtime';
import { languageOf } from '../auth/language.ts';

/** The console itself cannot be reached; a datastore that it waits for it names itself. */
export function answerConsoleAway(request: IncomingMessage, response: ServerResponse): void {
  answerAway(request, response, { language: languageOf(request.headers['accept-language']), missing: [] });
}
