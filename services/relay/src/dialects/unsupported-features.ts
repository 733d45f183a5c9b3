import { AppError } from '@tollgate/runtime';

/** Something in a request that other dialects cannot say and that it may do without. */
export interface Omissible {
  param: string;
  /** What it is, such as the type of an item. */
  what: string;
}

/** What of a request can be said in its own dialect only: it goes to channels that speak it, else it is refused by name. */
export class Unsaid {
  what: string | undefined;
  param: string | undefined;

  /** The first thing is the one that is named. */
  note(what: string, param: string): void {
    this.what ??= what;
    this.param ??= param;
  }

  /** Why a request cannot be served by channels of other dialects. */
  refusal(model: string): AppError {
    const reason = `${this.param}: ${this.what} cannot be said to any channel of the model ${model}`;
    return new AppError('invalid_request', { reason }, { param: this.param });
  }
}
