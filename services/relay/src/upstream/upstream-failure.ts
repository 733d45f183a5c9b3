import { errorMessage } from '@tollgate/contracts';
import { UpstreamError } from '@tollgate/providers';

export function upstreamFailure(
  kind: UpstreamError['kind'],
  code: 'upstream_timeout' | 'upstream_interrupted' | 'upstream_unreachable' | 'upstream_bad_answer',
): UpstreamError {
  return new UpstreamError({ kind, status: kind === 'timeout' ? 504 : 502, message: errorMessage(code), code });
}
