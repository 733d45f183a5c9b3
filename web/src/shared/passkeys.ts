import { WebAuthnError } from '@simplewebauthn/browser';

/** Closed by its holder, or left alone for too long: browsers do not tell these apart. */
export function isGivenUp(error: unknown): boolean {
  const cause = error instanceof WebAuthnError ? error.cause : error;
  return cause instanceof Error && (cause.name === 'NotAllowedError' || cause.name === 'AbortError');
}
