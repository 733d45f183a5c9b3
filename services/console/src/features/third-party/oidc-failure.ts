import { AppError } from '@tollgate/runtime';
import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';

/** The OAuth error code of a provider's answer: https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
export function errorCodeOf(error: unknown): string | undefined {
  if (error instanceof ResponseBodyError) return error.error;
  if (error instanceof WWWAuthenticateChallengeError) return error.cause.find(({ parameters }) => parameters.error)?.parameters.error;
  return undefined;
}

/**
 * Why a sign-in with a provider failed, for the log and for root: its error code and description, or the part that did not match. Holds none of `secrets`;
 * other parts of its answers, which may hold tokens, are left out.
 */
export function reasonOf(error: unknown, secrets: readonly string[]): string {
  let reason = reasonIn(error);
  for (const secret of secrets) if (secret !== '') reason = reason.replaceAll(secret, '[secret]');
  return reason.slice(0, 500);
}

function reasonIn(error: unknown): string {
  if (error instanceof ResponseBodyError)
    return `the provider answered ${error.error} with status ${error.status}${error.error_description ? `: ${error.error_description}` : ''}`;
  if (error instanceof WWWAuthenticateChallengeError)
    return `the provider answered ${errorCodeOf(error) ?? 'no error code'} with status ${error.status}`;
  if (error instanceof Error && error.cause instanceof Error) return reasonIn(error.cause);
  if (error instanceof ClientError) {
    const { attribute, claim, expected, body } = (error.cause ?? {}) as Record<string, unknown>;
    const published = (body as Record<string, unknown> | undefined)?.[String(attribute)];
    const field = attribute ?? claim;
    return [
      error.message,
      error.cause instanceof Response && String(error.cause.status),
      field !== undefined && `(${String(field)})`,
      typeof expected === 'string' && attribute === 'issuer' && `entered ${expected}, published ${String(published)}`,
    ]
      .filter(Boolean)
      .join(' ');
  }
  if (error instanceof AppError) return error.code;
  return error instanceof Error ? error.message : String(error);
}
