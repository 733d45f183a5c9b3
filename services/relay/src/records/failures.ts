import type { FailedCall, FurtherFailures } from '@tollgate/contracts';

/** Rows kept per minute, of one cause and in all; what comes beyond is only counted. */
const mostOfCause = 10;
const mostInMinute = 300;
/** Rows kept while the bus is away. */
const mostWaiting = 1_000;
/** More causes within one flush are counted by status and code alone. */
const mostCauses = 2_000;

export type Cause = Pick<FailedCall, 'userId' | 'username' | 'tokenId' | 'tokenName' | 'status' | 'code' | 'channelId' | 'channelName'>;

/** What is known of a cause within one minute. */
interface Known {
  kept: number;
  further: FurtherFailures | undefined;
  /** `further` was taken when this is not the current one. */
  round: number;
}

/** A failed call. Both functions are called only where their result is kept. */
export interface Failure {
  id: string;
  /** When its minute begins, in ms since 1970. */
  minute: number;
  causeOf(): Cause;
  rowOf(cause: Cause): FailedCall;
}

/**
 * Failed calls until they are taken: a bounded number of rows per minute and exact counts of all others, so that a flood of refusals costs
 * no more than its first calls.
 */
export class Failures {
  #rows: FailedCall[] = [];
  #further: FurtherFailures[] = [];
  /** Of causes beyond `mostCauses`, by status and code. */
  #others = new Map<string, FurtherFailures>();
  #minute = 0;
  #inMinute = 0;
  #round = 0;
  #known = new Map<string, Known>();

  get isEmpty(): boolean {
    return this.#rows.length === 0 && this.#further.length === 0;
  }

  /** `key` is equal for calls of one cause. */
  add(key: string, failure: Failure): void {
    const { id, minute } = failure;
    if (minute > this.#minute) {
      this.#minute = minute;
      this.#inMinute = 0;
      this.#known.clear();
    }
    let known = this.#known.get(key);
    if (known === undefined) {
      known = { kept: 0, further: undefined, round: 0 };
      if (this.#known.size < mostCauses) this.#known.set(key, known);
    }
    if (known.further !== undefined && known.round === this.#round) {
      known.further.count += 1;
      known.further.lastId = id;
    } else if (known.kept < mostOfCause && this.#inMinute < mostInMinute && this.#rows.length < mostWaiting) {
      known.kept += 1;
      this.#inMinute += 1;
      this.#rows.push(failure.rowOf(failure.causeOf()));
    } else this.#countFurther(known, failure);
  }

  take(): { failed: FailedCall[]; further: FurtherFailures[] } {
    const taken = { failed: this.#rows, further: this.#further };
    this.#rows = [];
    this.#further = [];
    this.#others.clear();
    this.#round += 1;
    return taken;
  }

  #countFurther(known: Known, { id, minute, causeOf }: Failure): void {
    const cause = causeOf();
    const { status, code } = cause;
    if (this.#further.length < mostCauses) {
      known.further = { ...cause, minute, count: 1, lastId: id };
      known.round = this.#round;
      this.#further.push(known.further);
      return;
    }
    const place = `${status} ${code}`;
    const others = this.#others.get(place);
    if (others !== undefined) {
      others.count += 1;
      others.lastId = id;
      return;
    }
    const opened = { ...nobody, status, code, minute, count: 1, lastId: id };
    this.#others.set(place, opened);
    this.#further.push(opened);
  }
}

const nobody = { userId: 0, username: '', tokenId: 0, tokenName: '', channelId: 0, channelName: '' };
