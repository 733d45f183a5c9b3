import type { Delivered } from './output-meter.ts';
import type { DialectName, JsonObject, Stamp, UsageReading } from './provider.ts';

export interface WholeOptions {
  stamp: Stamp;
  /** What the caller speaks. */
  speaks: DialectName;
  thinkingToContent?: boolean;
  usageBound?: number;
  /** The `encoding_format` that an embeddings request asks for. */
  encodingFormat?: string | null;
  /** What the answer says that it is. */
  contentType?: string;
  /** How many choices must finish where it comes as a stream; the request's `n`. */
  choices?: number;
}

/** A provider's whole answer, read: what it says in the hub's shape, whoever it is written for. */
export interface WholeReading {
  /** The provider's bytes, when the caller speaks the same and they say what he is to hear: they may travel as they are. */
  body: Buffer | undefined;
  /** What those bytes say, in the provider's own shape. */
  stated: JsonObject;
  /** The answer; of long ones that travel as they are, its top level without `data`. */
  answer: JsonObject;
  /** What the answer is signed with. */
  head: Stamp;
  /** The provider's own bill. */
  usage: UsageReading | undefined;
  /** Nothing of the answer came behind that bill. */
  isUsageLast: boolean;
  /** What it is, where that is not JSON. */
  contentType?: string;
  /** Our count of the output. */
  counted(): Delivered;
}
