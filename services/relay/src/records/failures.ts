import type { FailedCall, FurtherFailures } from '@tollgate/contracts';

/** Rows kept per minute, of one cause and in all; what comes beyond is only counted. */
const mostOfCause = 10;
const mostInMinute = 300;
/** Rows kept while the bus is away. */
const mostWaiting = 1_000;
/** More causes within one flush are counted by status and code alone. */
const mostCauses = 2_000;

type Cause = Pick<FailedCall, 'userId' | 'username' | 'tokenId' | 'tokenName' | 'status' | 'code' | 'channelId' | 'channelName'>;

/**
 * Failed calls until they are taken: a bounded number of rows per minute and exact counts of all others, so that a flood of refusals costs
 * no more than its first calls.
 */
export class Failures {
  #rows: FailedCall[] = [];
  #further = new Map<string, FurtherFailures>();
  #minute = 0;
  #inMinute = 0;
  #ofCause = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#rows.length === 0 && this.#further.size === 0;
  }

  /** `rowOf` is called only for a call that gets a row of its own. */
  add(cause: Cause, { id, minute, rowOf }: { id: string; minute: number; rowOf(): FailedCall }): void {
    if (minute > this.#minute) {
      this.#minute = minute;
      this.#inMinute = 0;
      this.#ofCause.clear();
    }
    const key = `${cause.userId} ${cause.tokenId} ${cause.status} ${cause.code} ${cause.channelId}`;
    const before = this.#ofCause.get(key) ?? 0;
    if (before < mostOfCause && this.#inMinute < mostInMinute && this.#rows.length < mostWaiting) {
      this.#ofCause.set(key, before + 1);
      this.#inMinute += 1;
      this.#rows.push(rowOf());
    } else this.#count(cause, { id, minute, key });
  }

  take(): { failed: FailedCall[]; further: FurtherFailures[] } {
    const taken = { failed: this.#rows, further: [...this.#further.values()] };
    this.#rows = [];
    this.#further = new Map();
    return taken;
  }

  #count(cause: Cause, { id, minute, key }: { id: string; minute: number; key: string }): void {
    const { status, code } = cause;
    const isApart = this.#further.size < mostCauses || this.#further.has(`${minute} ${key}`);
    const place = isApart ? `${minute} ${key}` : `${status} ${code}`;
    const found = this.#further.get(place);
    if (found !== undefined) {
      found.count += 1;
      found.lastId = id;
    } else this.#further.set(place, { ...(isApart ? cause : { ...nobody, status, code }), minute, count: 1, lastId: id });
  }
}

const nobody = { userId: 0, username: '', tokenId: 0, tokenName: '', channelId: 0, channelName: '' };
