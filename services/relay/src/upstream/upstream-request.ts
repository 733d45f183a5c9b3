import { randomBytes } from 'node:crypto';
import { isOverridableHeader } from '@tollgate/contracts';
import {
  type AnyDialect,
  type AnyRequest,
  type JsonObject,
  outgoing,
  patchJson,
  RequestRefused,
  serverSentEvents,
  type Target,
} from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { AskedCall, Call } from '../context/call.ts';
import { noteChange } from '../context/changes.ts';
import { upstreamFailure } from '../context/errors.ts';
import type { RelayRoute, SentRequest } from '../context/route.ts';
import { unknownFields } from '../quota/priced-fields.ts';
import type { Form, FormFile } from '../request/form-body.ts';
import { originsOf, type RoutedChannel } from '../routing/routed-channel.ts';
import type { StreamedBody } from './exchange.ts';

/** A form anew: fields as they are to be, files as they came. */
function formBody(fields: JsonObject, { files, spool }: Form): StreamedBody & { contentType: string } {
  const boundary = `----tollgate-${randomBytes(18).toString('base64url')}`;
  const heads = Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => fieldPart(boundary, name, one)),
  );
  const start = Buffer.from(heads.join(''));
  const fileHeads = files.map((file) => Buffer.from(fileHead(boundary, file)));
  const end = Buffer.from(`--${boundary}--\r\n`);
  const length = files.reduce(
    (sum, { from, to }, at) => sum + (fileHeads[at]?.length ?? 0) + to - from + lineEnd.length,
    start.length + end.length,
  );
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length,
    async *pieces() {
      yield start;
      for (const [at, { from, to }] of files.entries()) {
        yield fileHeads[at] as Buffer;
        yield* spool.read(from, to);
        yield lineEnd;
      }
      yield end;
    },
  };
}

/** The one file of a form, alone. */
function fileBody({ files, spool }: Form): StreamedBody & { contentType: string } {
  const { from, to } = files[0] ?? { from: 0, to: 0 };
  return { contentType: 'application/octet-stream', length: to - from, pieces: () => spool.read(from, to) };
}

const lineEnd = Buffer.from('\r\n');

function fieldPart(boundary: string, name: string, value: unknown): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${String(value)}\r\n`;
}

function fileHead(boundary: string, { field, name, type }: FormFile): string {
  const told = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
  return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(field)}"; filename="${quoted(name || 'file')}"\r\nContent-Type: ${told}\r\n\r\n`;
}

/** As browsers write names. Source: https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
function quoted(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}

/** What stays the same over all attempts of a call. */
export interface Forwarding {
  /** What the caller asks for, in the hub's words. */
  request: AnyRequest;
  /** The same as he sent it; undefined once no provider will be asked any more. */
  sent: SentRequest | undefined;
  /** The longest answer that the balance affords, when it is less than what was asked for. */
  outputLimit: number | undefined;
  choices: number;
  /** A provider has refused the reasoning of earlier turns: the request goes without. */
  withoutReasoning?: boolean;
  /** What was fetched for it: files by their addresses, as data URLs. */
  files?: Map<string, string>;
}

export interface Asking {
  forwarding: Forwarding;
  channel: RoutedChannel;
  route: RelayRoute;
  dialect: AnyDialect;
}

/** What goes to a provider, ready but for what proves our key by time and bytes. */
export interface Question {
  url: string;
  target: Target;
  headers: Record<string, string>;
  body: readonly Buffer[] | StreamedBody;
}

/** Whom a call asks there: the channel, with the model that its mapping chose. */
export function targetOf(call: Call, { channel, forwarding }: Asking): Target {
  const target = targetAt(call, channel, forwarding.request.model);
  return forwarding.withoutReasoning ? { ...target, withoutReasoning: true } : target;
}

/** The same for a model by its name. */
export function targetAt({ query }: Call, channel: RoutedChannel, model: string): Target {
  const mapped = channel.modelMapping.get(model);
  const target = { ...channel.target, model: mapped ?? model, isMapped: mapped !== undefined, query };
  if (target.baseUrl === '' && channel.provider.baseUrlOf !== undefined) target.baseUrl = channel.provider.baseUrlOf(target);
  return target;
}

/** Throws: AppError `invalid_request` when the request cannot be said there; UpstreamError when the channel's key has the wrong form. */
export function questionFor(call: AskedCall, asking: Asking, asked: Target): Question {
  const { channel, route, dialect, forwarding } = asking;
  const { request, sent, outputLimit } = forwarding;
  if (sent === undefined) throw new Error('a request was let go of before its last question');
  const passed = dialect.speaks === route.dialect.name ? passedHeaders(call) : undefined;
  const target = passed === undefined ? asked : { ...asked, passedHeaders: passed };
  const isStream = request.stream === true;
  const comesStreamed = isStream || (dialect.speaks !== 'openai' && dialect.streamsOnly === true);
  try {
    const isTranslated = dialect.speaks !== route.dialect.name;
    const without = unknownFields(call.checked, channel);
    const out = outgoing(dialect, { ...sent, speaks: route.dialect.name, request, target, includeUsage: isStream, outputLimit, without });
    const { header_override: ownHeaders, param_override: ownFields } = channel.settings;
    call.upstreamModel = out.model;
    call.tools = out.tools;
    noteChanges(call, {
      changed: out.changed,
      leftOut: [...(out.leftOut ?? none), ...(isTranslated ? (sent.unsupported?.leftOut ?? none) : none)],
    });
    call.effort =
      (dialect.speaks === 'openai' ? effortIn(ownFields) : undefined) ?? dialect.effortOf?.(target) ?? call.checked.reasoningEffort;
    const body = bodyOf(dialect, ownFields === undefined ? out.body : patchJson(out.body, { set: ownFields }), sent);
    return {
      url: out.url,
      target,
      headers: {
        ...channel.provider.headers(target),
        ...dialect.headers?.(target),
        ...passed,
        'content-type': body.contentType,
        accept: comesStreamed ? (dialect.framing ?? serverSentEvents).accept : (route.rules.answersIn ?? 'application/json'),
        'accept-encoding': 'identity', // so that frames can be read, and nothing has to be unpacked
        'user-agent': 'tollgate',
        ...lowerCased(ownHeaders),
      },
      body: body.body,
    };
  } catch (error) {
    if (error instanceof RequestRefused) {
      throw new AppError('invalid_request', { reason: error.message }, { cause: error, param: error.param ?? undefined });
    }
    throw error;
  }
}

const forModel = 'changed for the model';
const leftOutThere = 'not sent to this provider';

interface Changes {
  /** Fields of the canonical request. */
  changed: readonly string[] | undefined;
  /** Fields of the caller's. */
  leftOut: readonly string[] | undefined;
}

const none: readonly string[] = [];

/** What is changed for this provider and its model, in the place of what was for one that was asked before it. */
function noteChanges(call: AskedCall, { changed = none, leftOut = none }: Changes): void {
  if (call.changes === undefined && changed.length + leftOut.length === 0) return;
  const others = call.changes?.filter((change) => !change.endsWith(forModel) && !change.endsWith(leftOutThere));
  call.changes = others === undefined || others.length === 0 ? undefined : others;
  for (const field of changed) noteChange(call, field, forModel);
  for (const field of leftOut) noteChange(call, field, leftOutThere);
}

/** How much to think, where a channel says so itself. */
function effortIn(ownFields: JsonObject | undefined): string | undefined {
  return typeof ownFields?.reasoning_effort === 'string' ? ownFields.reasoning_effort.slice(0, 32) : undefined;
}

/** The body as the provider wants it: as JSON, as a form, or the one file of a form. */
function bodyOf(
  dialect: AnyDialect,
  json: Buffer,
  { form, long }: SentRequest,
): { contentType: string; body: readonly Buffer[] | StreamedBody } {
  if (form === undefined || dialect.sends === undefined) return { contentType: 'application/json', body: long?.whole(json) ?? [json] };
  const { contentType, ...body } =
    dialect.sends === 'file' ? fileBody(form) : formBody(JSON.parse(json.toString('utf8')) as JsonObject, form);
  return { contentType, body };
}

/** The same with what its own bytes and the time add to it. */
export async function signed(question: Question, { provider }: RoutedChannel, atMs: number): Promise<Question> {
  if (provider.sign === undefined) return question;
  const { url, target, headers, body } = question;
  const whole = 'pieces' in body ? Buffer.alloc(0) : Buffer.concat(body); // nobody signs a form
  const parts = await provider.sign({ url, target, body: whole, atMs });
  return { url: parts.url ?? url, target, headers: { ...headers, ...parts.headers }, body };
}

/** What the channel says otherwise; which headers may be is checked again, for it was stored by whoever could write there. */
export function lowerCased(headers: Record<string, string> | undefined): Record<string, string> | undefined {
  if (headers === undefined) return undefined;
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(named.filter(([name]) => isOverridableHeader(name)));
}

const longestHeader = 1000;

/** What a caller says in headers to a provider who speaks as he does, such as the version that he wants to be answered in. */
export function passedHeaders({ dialect, request }: Call): Record<string, string> | undefined {
  const passed = dialect.passedHeaders?.flatMap((name) => {
    const value = request.headers[name];
    return typeof value === 'string' && value.length <= longestHeader ? [[name, value] as const] : [];
  });
  return passed && Object.fromEntries(passed);
}

/** Where a URL leads on its channel. The host is the channel's: one that a request led elsewhere is not called. */
export function placeOf(channel: RoutedChannel, { url, target }: Pick<Question, 'url' | 'target'>): { origin: string; path: string } {
  const { origin, originText } = channel.origin === '' ? originsOf(target.baseUrl) : channel;
  const next = url[originText.length];
  if (!url.startsWith(originText) || (next !== '/' && next !== '?' && next !== undefined)) {
    throw upstreamFailure('server', 'upstream_unreachable');
  }
  const path = url.slice(originText.length);
  return { origin, path: path.startsWith('/') ? path : `/${path}` };
}
