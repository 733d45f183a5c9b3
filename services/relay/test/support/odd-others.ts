import { data, type Expected, hundred, type OddAnswer, usual } from './odd-answers.ts';

type Json = Record<string, unknown>;

// Cohere

const event = (type: string, more: Json = {}) => `event: ${type}\n${data({ type, ...more })}`;
const begun = event('message-start', { id: 'm', delta: { message: { role: 'assistant', content: [] } } });
const pieces = hundred.map((text) => event('content-delta', { index: 0, delta: { message: { content: { text } } } }));
const ended = (finish_reason: string, more: Json = {}) => event('message-end', { delta: { finish_reason, ...more } });
const gaveUp = { error: 'internal failure' };

function cohere(title: string, frames: string[], expected: Expected): OddAnswer {
  return { title: `Cohere: ${title}`, type: 34, script: { frames }, request: { stream: true }, ...expected };
}

function cohereWhole(title: string, finish_reason: string, expected: Expected): OddAnswer {
  const message = { role: 'assistant', content: [{ type: 'text', text: 'Half an' }] };
  return { title: `Cohere, whole: ${title}`, type: 34, script: { json: { id: 'm', message, finish_reason } }, ...expected };
}

const ofCohere: OddAnswer[] = [
  cohere('an answer that it gives up in the middle', [begun, ...pieces, ended('ERROR', gaveUp)], { ...usual, says: 'internal failure' }),
  cohere('an answer that it gives up before its first word', [begun, ended('ERROR', gaveUp)], { status: 500, isBlamed: true }),
  cohere('an answer that takes it too long', [begun, ...pieces, ended('TIMEOUT')], usual),
  cohereWhole('half an answer that it gave up', 'ERROR', { status: 500, isBlamed: true }),
  cohereWhole('half an answer that took it too long', 'TIMEOUT', { status: 504, isBlamed: true }),
];

// Cloudflare, which says its errors in an envelope of its own

const chunk = (delta: Json, finish_reason: string | null = null) => data({ id: 'c', choices: [{ index: 0, delta, finish_reason }] });
const failed = { success: false, errors: [{ code: 3043, message: 'Inference failed' }], result: {} };

const ofCloudflare: OddAnswer[] = [
  {
    title: 'Cloudflare: an error in the middle',
    type: 39,
    channel: { other: 'account' },
    script: { frames: [...hundred.map((content) => chunk({ content })), data(failed), 'data: [DONE]'] },
    request: { stream: true },
    ...usual,
    says: 'Inference failed (request id',
  },
];

export const oddOthers: OddAnswer[] = [...ofCohere, ...ofCloudflare];
