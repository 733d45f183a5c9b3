import { cutText } from '@tollgate/contracts';
import { objectsIn } from './objects.ts';
import type { JsonObject } from './provider.ts';
import { restMs } from './rate-limits.ts';
import type { FailedAnswer, UpstreamErrorKind } from './upstream-error.ts';
import { UpstreamError } from './upstream-error.ts';

const maxMessageLength = 1000;

const hostName = /\.(?:com|net|org|cn|io|ai|dev|cloud|internal|local|lan|svc|home|arpa)\b/i;

type Masks = readonly [RegExp, string | ((found: string) => string)][];

/** What looks like a key by its prefix. */
const keys: Masks = [
  [/\bBearer\s+[^\s"',;]+/gi, 'Bearer [key]'],
  [/\beyJ[\w-]{8,}(?:\.[\w-]*)*/g, '[key]'],
  [/\w[\w*.\-/]*/g, withoutKey(/\b(?:sk|pk|rk|gsk|xai|nvapi|sess|fastgpt)[-_]/i, (key) => lengthOfSecret(key) >= 5)],
  [/\w[\w*-]*/g, withoutKey(/\b(?:api|app|key|token|hf|r8|jina)[-_]/i, (key) => lengthOfSecret(key) >= 12 && /\d/.test(key))],
  [/\w[\w-]*/g, withoutKey(/\b(?:AIza|AKIA|ASIA|LTAI|AKID)/, (key) => key.length >= 12)],
  [/\bbce-v3\/[\w\-/]+/g, '[key]'],
];

/** What callers must not see: keys and accounts of channels, and where their providers are. */
const secrets: Masks = [
  [/\b(?:https?|wss?):\/\/[^\s"'<>]+/gi, '[url]'],
  ...keys,
  [/\b[0-9a-f]{32,}\b/gi, '[key]'],
  [/\barn:[\w-]+:[^\s"'`,]+/g, '[account]'],
  [/\b(projects\/)[^\s/"'`,]+/g, '$1[account]'],
  [/\b(project(?:_number)?[: ])\d{5,}/gi, '$1[account]'],
  [/\b(?:org|proj|acct)[-_][A-Za-z0-9]{3,}/g, '[account]'],
  [/[\w.+-]+(?:@[\w-]+(?:\.[\w-]+)+)?/g, (found) => (found.includes('@') ? '[mail]' : found)],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g, '[address]'],
  [/\[[0-9a-f]*:[0-9a-f:]+\](?::\d{1,5})?/gi, '[address]'],
  [/[\w-]+(?:\.[\w-]+)*(?::\d{1,5})?/g, (found) => (hostName.test(found) ? '[host]' : found)],
  [/\blocalhost(?::\d{1,5})?\b/gi, '[host]'],
];

/** A run of letters up to where a key begins in it, and a mark. What begins like one and is too short for it is a word. */
function withoutKey(start: RegExp, isKey: (key: string) => boolean): (run: string) => string {
  return (run) => {
    const at = run.search(start);
    return at >= 0 && isKey(run.slice(at)) ? `${run.slice(0, at)}[key]` : run;
  };
}

/** How much follows the prefix and its dash. */
function lengthOfSecret(key: string): number {
  return key.length - key.search(/[-_]/) - 1;
}

/** A provider's text as callers may see it: shortened, without keys, accounts and addresses. */
export function withoutSecrets(text: string, key = '', most = maxMessageLength): string {
  return masked(text, secrets, { key, most });
}

/** The same for operators, who need addresses, accounts and the provider's request ids: without keys only. */
export function withoutKeys(text: string, key = '', most = maxMessageLength): string {
  return masked(text, keys, { key, most });
}

function masked(text: string, masks: Masks, { key, most }: { key: string; most: number }): string {
  let clean = cutText(text, most);
  for (const secret of key.length >= 6 ? [key, ...key.split('|').filter((part) => part.length >= 6)] : []) {
    clean = clean.replaceAll(secret, '[key]');
  }
  for (const [pattern, mark] of masks) clean = clean.replace(pattern, mark as string);
  return clean;
}

interface StatedError {
  message: string | undefined;
  type: string | undefined;
  param: string | null | undefined;
  code: string | number | null | undefined;
  /** What the model had written when its answer was refused (Groq). Source: https://console.groq.com/docs/tool-use */
  failedGeneration?: string | undefined;
  /** All that the provider sent, for operators. */
  whole?: unknown;
}

/** What an error body says, whoever wrote it: the first text found where providers are known to put theirs. */
export function statedError(body: unknown, depth = 0): StatedError {
  if (typeof body === 'string') return { message: body || undefined, type: undefined, param: undefined, code: undefined };
  if (Array.isArray(body)) return statedError({ error: objectAt(body[0], 'error') ?? body[0] });
  const root = (typeof body === 'object' && body !== null ? body : {}) as JsonObject;
  const error = objectAt(root, 'error');
  const listed = objectAt(Array.isArray(root.errors) ? root.errors[0] : undefined);
  const message =
    text(error?.message) ??
    text(root.error) ??
    text(root.message) ??
    detailText(objectAt(root, 'message')?.detail ?? root.message) ??
    text(root.msg) ??
    text(root.err) ??
    text(root.error_msg) ??
    text(root.detail) ??
    detailText(root.detail) ??
    text(listed?.message) ??
    text(objectAt(root, 'header')?.message) ??
    text(objectAt(objectAt(root, 'response'), 'error')?.message) ??
    text(objectAt(objectAt(root, 'Response'), 'Error')?.Message) ??
    text(objectAt(root, 'base_resp')?.status_msg) ??
    text(root.error_description);
  const source = error ?? listed ?? root;
  return {
    message: withCause(withDetails(message, source), objectAt(source, 'metadata'), depth),
    type: text(source.type) ?? text(source.status),
    param: text(source.param),
    code: codeOf(source.code),
    failedGeneration: text(source.failed_generation),
    whole: body,
  };
}

/** How deep causes are looked for: a gateway may stand in front of a gateway. */
const mostCauses = 3;

/**
 * The message with what the provider behind a gateway said, which is a text, an error of its own, or that as JSON.
 * Source: https://openrouter.ai/docs/api-reference/errors
 */
function withCause(message: string | undefined, metadata: JsonObject | undefined, depth: number): string | undefined {
  const raw = metadata?.raw;
  if (depth >= mostCauses || raw === undefined || raw === null) return message;
  const parsed = typeof raw === 'string' ? parsedObject(raw) : raw;
  const cause = parsed === undefined ? text(raw) : (statedError(parsed, depth + 1).message ?? text(raw));
  if (cause === undefined || message?.includes(cause)) return message;
  return message === undefined ? cause : `${message}: ${cause}`;
}

const mostDetails = 5;

/**
 * The message with the reasons in fields beside it: the fields that Google refuses, and what a moderation has found.
 * Sources: https://cloud.google.com/apis/design/errors, https://openrouter.ai/docs/api-reference/errors
 */
function withDetails(message: string | undefined, source: JsonObject): string | undefined {
  const violations = objectsIn(source.details).flatMap(({ fieldViolations }) => objectsIn(fieldViolations));
  const flagged = objectAt(source, 'metadata')?.reasons;
  const reasons = [...violations.map(({ description }) => text(description)), ...(Array.isArray(flagged) ? flagged.map(text) : [])];
  const further = reasons.filter((reason) => reason !== undefined && !message?.includes(reason)).slice(0, mostDetails);
  return further.length === 0 ? message : [message, ...further].filter((part) => part !== undefined).join('; ');
}

function parsedObject(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // plain words
  }
}

/** A failed answer as an error with a kind. `key` is kept out of the text. */
export function readError(answer: FailedAnswer, key = ''): UpstreamError {
  let body: unknown = answer.body;
  try {
    body = JSON.parse(answer.body.replace(/^\uFEFF/, ''));
  } catch {
    body = undefined; // HTML or text of a proxy in between: nothing of it is for the caller
  }
  const stated = { ...statedError(body), whole: body ?? answer.body };
  const { status, headers, atMs } = answer;
  const pauseMs = retryAfterMs(headers, atMs) ?? (status === 429 ? restMs(headers, atMs ?? Date.now()) || undefined : undefined);
  return errorFrom(stated, { status, key, retryAfterMs: pauseMs });
}

/**
 * An error out of its words. With status 200 the words say which one is meant; any other status that is none of an error (a
 * redirect, half an answer, no answer) is a bad gateway.
 */
export function errorFrom(
  stated: StatedError,
  answer: { status: number; key?: string; retryAfterMs?: number; kind?: UpstreamErrorKind },
): UpstreamError {
  const status = answer.status === 200 ? statusMeant(stated) : errorStatus(answer.status);
  const kind = answer.kind ?? kindOf(status, stated);
  const isLong = kind === 'request' && isTooLong(stated);
  return new UpstreamError({
    kind,
    status: isLong ? 400 : status, // 413 is of bodies, which clients do not shorten
    message: stated.message ? withoutSecrets(stated.message, answer.key) : `bad response status code ${answer.status}`,
    type: stated.type ?? 'upstream_error',
    param: stated.param ?? (stated.message === undefined ? String(answer.status) : null),
    code: isLong ? 'context_length_exceeded' : codeToldOf(stated),
    retryAfterMs: answer.retryAfterMs,
    failedGeneration: stated.failedGeneration,
    whole: wholeText(stated.whole, answer.key),
    forOperators: stated.message ? withoutKeys(stated.message, answer.key) : undefined,
  });
}

/** What a model wrote is not logged. */
function withoutGeneration(name: string, value: unknown): unknown {
  return name === 'failed_generation' ? undefined : value;
}

/** For operators, who need more of it than callers: cut later, and without keys and accounts all the same. */
const mostOfWhole = 8_000;

function wholeText(whole: unknown, key: string | undefined): string | undefined {
  if (whole === undefined || whole === null || whole === '') return undefined;
  return withoutSecrets(typeof whole === 'string' ? whole : JSON.stringify(whole, withoutGeneration), key, mostOfWhole);
}

function codeToldOf({ code, message }: StatedError): string | number | null {
  return code ?? (message === undefined ? 'bad_response_status_code' : null);
}

/** How Anthropic, Gemini and OpenAI's like say it that have no code for it: clients shorten a conversation by OpenAI's, and else give up. */
const tooLongWords =
  /^prompt is too long|exceeds? (?:the )?context (?:limit|length|window)|maximum context length|token count (?:\(?\d{1,12}\)? )?exceeds the maximum number of tokens/i;

/**
 * Messages of providers that have no code for it, or one that means more: Bedrock, DashScope, Groq, llama.cpp, LM Studio, MiniMax, Mistral, Moonshot, Ollama,
 * SGLang, Together, xAI, Zhipu. Source: the lists by which coding agents recognize it, read in stored copies on 2026-11-26
 */
const tooLongPhrases = [
  ...['input is too long for requested model', 'range of input length should be', 'reduce the length of the messages'],
  ...[
    'exceeds the available context size',
    'greater than the context length',
    'context size has been exceeded',
    'context window exceeds limit',
  ],
  ...['too large for model with', 'exceeded model token limit', 'prompt too long; exceeded', 'exceeds the maximum allowed length'],
  ...[
    "longer than the model's context length",
    'maximum prompt length is',
    'prompt exceeds max length',
    'prompt 超长',
    'exceeds model context window',
  ],
];

function isTooLong({ code, message }: StatedError): boolean {
  if (message === undefined) return false;
  const isOwnNumber = typeof code === 'number' && code > 999; // of an API of its own, whose callers know it
  const lower = message.toLowerCase();
  if (!isOwnNumber && tooLongPhrases.some((phrase) => lower.includes(phrase))) return true;
  return (code === undefined || typeof code === 'number') && tooLongWords.test(message);
}

const credentialWords =
  /^(?:invalid_api_key|account_deactivated|authentication_error|invalid_authentication_error|permission_error|forbidden|unauthorized|InvalidApiKey|UNAUTHENTICATED|PERMISSION_DENIED)$/i;
const balanceWords =
  /^(?:insufficient_quota|insufficient_user_quota|billing_not_active|billing_error|exceeded_current_quota_error|AccountOverdueError|Arrearage|1113)$/i;
const rateWords = /rate_?limit|too_many_requests|RESOURCE_EXHAUSTED/i;

function kindOf(status: number, stated: StatedError): UpstreamErrorKind {
  const words = [stated.code, stated.type].filter((word) => word !== null && word !== undefined).map(String);
  if (words.includes('content_filter')) return 'content_filter';
  if (words.some((word) => balanceWords.test(word)) || status === 402) return 'balance';
  if (status === 401 || words.some((word) => credentialWords.test(word))) return 'credentials';
  if (status === 429) return 'rate_limit';
  if (status === 408 || status === 504 || status === 524) return 'timeout';
  if (status === 404) return 'not_found';
  if (status === 503 || status === 529) return 'overloaded';
  if (status >= 500) return 'server';
  if (status === 403) return 'not_found'; // this account may not; another may
  return 'request';
}

function errorStatus(status: number): number {
  return status >= 400 && status < 600 ? status : 502;
}

/** Also what Responses refuse of a prompt and its pictures. Source: https://platform.openai.com/docs/api-reference/responses/object */
const requestWords =
  /invalid_request|invalid_argument|invalid_parameter|invalid_prompt|invalid_(?:base64_)?image|content_filter|context_length|^image_(?:too|parse|content|file)_|^(?:empty|unsupported|failed_to_download)_image|_policy(?:_violation)?$/i;

function statusMeant(stated: StatedError): number {
  const code = Number(stated.code);
  if (Number.isInteger(code) && code >= 400 && code <= 599) return code;
  const words = [stated.code, stated.type].map((word) => String(word ?? ''));
  if (words.some((word) => balanceWords.test(word) || rateWords.test(word))) return 429;
  if (words.some((word) => credentialWords.test(word))) return 401;
  if (words.some((word) => requestWords.test(word))) return 400;
  if (words.some((word) => /overloaded/i.test(word))) return 503;
  return 500;
}

/**
 * `Retry-After` in seconds, OpenAI's in milliseconds, or the date until which to wait: by the answer's own `Date`, else by
 * `atMs`, when it came. At most an hour is believed. Source: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterMs(headers: FailedAnswer['headers'], atMs?: number): number | undefined {
  const milliseconds = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  const stated = headers?.['retry-after'];
  const seconds = Number(stated ?? Number.NaN);
  const value = [milliseconds, seconds * 1000, untilDate(stated, headers?.date, atMs)].find(Number.isFinite);
  return value !== undefined && value >= 0 ? Math.min(Math.round(value), 3_600_000) : undefined;
}

/** A date that has passed asks for no pause. */
function untilDate(stated: unknown, date: unknown, atMs = Number.NaN): number {
  if (typeof stated !== 'string' || !stated.endsWith(' GMT')) return Number.NaN;
  const sentMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Math.max(0, Date.parse(stated) - (Number.isFinite(sentMs) ? sentMs : atMs));
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function detailText(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return text(objectAt(first)?.msg) ?? (Array.isArray(value) ? text(first) : undefined);
}

function codeOf(value: unknown): string | number | undefined {
  return typeof value === 'number' ? value : text(value);
}

function objectAt(value: unknown, key?: string): JsonObject | undefined {
  const found = key === undefined ? value : (value as JsonObject | null | undefined)?.[key];
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as JsonObject) : undefined;
}
