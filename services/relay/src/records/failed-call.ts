import { beginOf, cutText, type FailedAttempt, type FailedCall, longestRecordedMessage } from '@tollgate/contracts';
import { UpstreamError } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Call } from '../context/call.ts';
import type { RoutedChannel } from '../routing/routed-channel.ts';
import type { Cause } from './failures.ts';

const longest = 40;

/** The family of a user agent: `OpenAI/Python 1.99.0` is `OpenAI/Python`, `curl/8.5` is `curl`, a browser is `browser`. */
function clientFamily(userAgent: string | undefined): string {
  const [product = ''] = (userAgent ?? '').trim().split(/[\s(;]/, 1);
  if (product.startsWith('Mozilla/')) return 'browser';
  const named = product.split('/').filter((part) => /^[A-Za-z]/.test(part));
  return named
    .slice(0, 2)
    .join('/')
    .replace(/[^\w./@-]/g, '')
    .slice(0, longest);
}

export function kindOf(error: unknown): string {
  if (error instanceof UpstreamError) return error.kind;
  return error instanceof AppError ? error.code : 'internal_error';
}

export function causeOf({ caller, checked, channel }: Call, { status, code }: Pick<FailedCall, 'status' | 'code'>): Cause {
  return {
    userId: caller?.userId ?? 0,
    username: caller?.username ?? '',
    tokenId: caller?.tokenId ?? 0,
    tokenName: checked?.tokenName ?? caller?.tokenName ?? '',
    status,
    code,
    channelId: channel?.id ?? 0,
    channelName: channel?.name ?? '',
  };
}

/** The record of a call that failed. `error`: what the caller was sent; undefined for one that had left. */
export function failedCallOf(call: Call, { cause, error }: { cause: Cause; error: unknown }): FailedCall {
  const { checked, caller, failedAttempts, plan, request } = call;
  return {
    ...cause,
    id: call.id,
    at: call.atMs,
    group: checked?.group ?? (caller?.tokenGroup || caller?.userGroup || ''),
    mode: checked?.mode ?? '',
    model: cutText(call.model),
    dialect: call.dialect.name,
    client: clientFamily(request.headers['user-agent']),
    isStream: checked?.isStream ?? false,
    durationMs: Math.round(call.elapsedMs),
    ...(error instanceof AppError && { details: error.details }),
    ...(error instanceof UpstreamError && { message: beginOf(error.message, longestRecordedMessage) }),
    attempts: failedAttempts ?? [],
    passedOver: plan?.passedOver(performance.now()) ?? [],
  };
}

export function failedAttemptOf(
  { attemptAt }: Call,
  { id, name, priority, weight, chosenKey }: RoutedChannel,
  { kind, error }: { kind: string; error: unknown },
): FailedAttempt {
  const isUpstreams = error instanceof UpstreamError;
  const ownStatus = error instanceof AppError ? error.status : 500;
  const message = isUpstreams ? error.forOperators : String((error as Error).message ?? '');
  return {
    channelId: id,
    channelName: name,
    ...(chosenKey && { keyId: chosenKey.id }),
    priority,
    weight,
    kind,
    status: isUpstreams ? error.status : ownStatus,
    message: beginOf(message, longestRecordedMessage),
    durationMs: Math.max(0, Math.round(performance.now() - attemptAt)),
  };
}
