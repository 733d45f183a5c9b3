import { cutText } from '@tollgate/contracts';
import type { Request } from 'express';

/** Where a sign-in comes from, as its owner may see it later. */
export interface Visit {
  address: string;
  /** What the browser says of itself, cut. */
  agent: string;
}

export function visitOf({ address, req }: { address: string; req: Request }): Visit {
  return { address, agent: cutText(req.headers['user-agent'] ?? '', 200) };
}
