import type { UpstreamError } from '@tollgate/providers';

/** Who takes an answer's body, piece by piece. After `ended` or `failed` nothing comes. */
export interface BodySink {
  piece(bytes: Buffer): void;
  ended(): void;
  failed(error: UpstreamError): void;
}
