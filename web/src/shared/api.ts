import { type BaseQueryFn, createApi, fetchBaseQuery } from '@reduxjs/toolkit/query/react';
import type { Envelope } from '@tollgate/contracts/api/common';
import type { ApiCall } from './call.ts';
import { headersOf } from './own-headers.ts';
import { isSwitched, type SessionState, sessionEnded } from './session.ts';

/** Why a call did not succeed. `refused` comes with the server's message, in the language of the page; `status` is any other HTTP status. */
export interface ApiError {
  kind: 'refused' | 'unauthorized' | 'too-many' | 'demo' | 'server' | 'offline' | 'timeout' | 'unreadable' | 'status';
  status: number;
  /** The server's own words; '' when it had none. */
  message: string;
  requestId?: string;
  /** The server's name for it, and what it sent along: the row as it stands, after a `conflict`. */
  code?: string;
  data?: unknown;
}

/** `patient`: the server itself asks somebody else, which may take minutes. */
export interface ApiExtra {
  patient?: boolean;
}

/** After this long without an answer a call is given up, and says so. */
const waitMs = 15_000;
const patientWaitMs = 180_000;

const send = fetchBaseQuery({
  baseUrl: '/api/',
  credentials: 'same-origin',
  cache: 'no-store',
  prepareHeaders: (headers, { getState }) => {
    const { user } = (getState() as { session: SessionState }).session;
    for (const [name, value] of Object.entries(headersOf(user?.id))) headers.set(name, value);
    return headers;
  },
});

/** What came beside an answer: words for people, '' when there are none. */
export interface ApiMeta {
  message: string;
}

const baseQuery: BaseQueryFn<ApiCall, unknown, ApiError, ApiExtra, ApiMeta> = async ({ whole, ...args }, context, extra) => {
  const timeout = extra?.patient ? patientWaitMs : waitMs;
  const { data, error, meta } = await send({ timeout, ...args }, context, {});
  const requestId = meta?.response?.headers.get('x-request-id') ?? meta?.response?.headers.get('x-oneapi-request-id') ?? undefined;
  if (error) {
    const failure = { ...apiErrorOf(error.status, error.data), ...(requestId ? { requestId } : {}) };
    const { user } = (context.getState() as { session: SessionState }).session;
    if (failure.kind === 'unauthorized' && user) context.dispatch(sessionEnded(isSwitched(user.id) ? 'switched' : 'expired'));
    return { error: failure };
  }
  if (!isEnvelope(data))
    return { error: { kind: 'unreadable', status: meta?.response?.status ?? 0, message: '', ...(requestId ? { requestId } : {}) } };
  if (!data.success) {
    const { message, code, data: sentAlong } = data as Envelope<unknown> & { code?: string };
    return { error: { kind: 'refused', status: 200, message, ...(requestId && { requestId }), ...(code && { code, data: sentAlong }) } };
  }
  return { data: whole ? data : (data.data ?? null), meta: { message: data.message } };
};

function apiErrorOf(status: number | string, body: unknown): ApiError {
  if (status === 'TIMEOUT_ERROR') return { kind: 'timeout', status: 0, message: '' };
  if (typeof status === 'string') return { kind: status === 'PARSING_ERROR' ? 'unreadable' : 'offline', status: 0, message: '' };
  const message = messageIn(body);
  if (status === 401) return { kind: 'unauthorized', status, message };
  if (status === 429) return { kind: 'too-many', status, message };
  if (status === 405) return { kind: 'demo', status, message };
  if (status >= 500) return { kind: 'server', status, message };
  return { kind: 'status', status, message };
}

function messageIn(body: unknown): string {
  if (typeof body !== 'object' || body === null) return '';
  const { message, error } = body as { message?: unknown; error?: { message?: unknown } };
  if (typeof message === 'string') return message;
  return typeof error?.message === 'string' ? error.message : '';
}

function isEnvelope(body: unknown): body is Envelope<unknown> {
  return typeof body === 'object' && body !== null && typeof (body as Envelope<unknown>).success === 'boolean';
}

/** The one API of the console. Features inject their calls; an answer arrives without its envelope, an error as `ApiError`. */
export const api = createApi({
  reducerPath: 'api',
  baseQuery,
  tagTypes: [
    'Status',
    'Self',
    'Token',
    'Order',
    'Budget',
    'Redemption',
    'Channel',
    'ChannelTests',
    'User',
    'Log',
    'Group',
    'Model',
    'Option',
    'Proposal',
    'Job',
    'System',
    'Import',
    'Session',
    'Passkey',
    'TwoFactor',
  ],
  refetchOnReconnect: true,
  endpoints: () => ({}),
});
