import { errorFrom } from '../error-text.ts';
import type { JsonObject } from '../provider.ts';
import type { UpstreamError } from '../upstream-error.ts';

/** What its numbers mean as a status. Source: https://cloud.baidu.com/doc/WENXINWORKSHOP/s/tlmyncueh */
const statuses = new Map([
  [2, 503],
  [4, 429],
  [6, 403],
  [14, 401],
  [15, 401],
  [17, 429],
  [18, 429],
  [19, 429],
  [110, 401],
  [111, 401],
  [336100, 503],
  [336501, 429],
  [336502, 429],
  [336503, 429],
  [336504, 429],
]);

/** Errors come with status 200, of a stream as well. */
export function errorIn(body: JsonObject): UpstreamError | undefined {
  const { error_code: code, error_msg: message } = body;
  if (typeof code !== 'number' || code === 0) return undefined;
  const isRequest = (code >= 336002 && code <= 336007) || (code >= 336101 && code < 336200);
  const status = statuses.get(code) ?? (isRequest ? 400 : 500);
  const words = typeof message === 'string' && message !== '' ? message : undefined;
  return errorFrom({ message: words, type: 'baidu_error', param: undefined, code }, { status });
}
