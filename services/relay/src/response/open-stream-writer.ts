import type { Call } from '../pipeline/call.ts';
import type { OpenCalls } from '../pipeline/open-calls.ts';
import { ArrayStreamWriter } from './array-stream-writer.ts';
import { StreamWriter } from './stream-writer.ts';

/** A writer that the clock knows of; `dispose` takes it off again. */
export function openStreamWriter(
  call: Call,
  calls: OpenCalls,
  limits: { heartbeatMs: number; slowReaderMs: number },
): StreamWriter & Disposable {
  const writer = call.dialect.streamsArrays ? new ArrayStreamWriter(call, limits) : new StreamWriter(call, limits);
  calls.watch(writer);
  return Object.assign(writer, { [Symbol.dispose]: () => calls.unwatch(writer) });
}
