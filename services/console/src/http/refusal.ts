import type { ErrorCode } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';

/** A refusal that has something to send along, in the `data` of its answer. */
export class Refusal extends AppError {
  readonly data: unknown;
  constructor(code: ErrorCode, details: Record<string, string | number>, data: unknown) {
    super(code, details);
    this.data = data;
  }
}
