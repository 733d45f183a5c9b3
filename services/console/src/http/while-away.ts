import { answerAway, isPageWanted } from '@tollgate/runtime';
import type { RequestHandler } from 'express';
import { languageOf } from './answer.ts';

/** What needs no datastore is answered by then, on a busy machine too. */
const patienceMs = 600;
/** A request that came this long before the first slow probe may already wait for the datastore. */
const beginMs = 250;

/** Refuses requests that wait for a datastore which does not answer, so that none of them hangs. */
export interface Refusals {
  /** Before the API: a request that comes while one is away has a moment to be answered without it. */
  api(away: ReadonlySet<string>): RequestHandler;
  /** Refuses all that wait, as one has just gone away. */
  refuseWaiting(): void;
  /**
   * Refuses what reads and has waited for so long since a datastore became slow. What writes may still succeed, and what began before waits
   * for something else, such as a provider.
   */
  refuseReads(slow: { patienceMs: number; slowForMs: number }): void;
}

/** What a refused request's handler comes to later is dropped: its answer is out. */
export function openRefusals(): Refusals {
  const waiting = new Map<() => void, { since: number; isRead: boolean }>();
  return {
    api: (away) => (req, res, next) => {
      const refuse = () => {
        if (!res.headersSent && !res.destroyed) answerAway(req, res, { language: languageOf(req), missing: away });
      };
      const timer = away.size > 0 ? setTimeout(refuse, patienceMs) : undefined;
      waiting.set(refuse, { since: performance.now(), isRead: req.method === 'GET' || req.method === 'HEAD' });
      res.once('close', () => {
        clearTimeout(timer);
        waiting.delete(refuse);
      });
      next();
    },
    refuseWaiting() {
      for (const refuse of waiting.keys()) refuse();
    },
    refuseReads({ patienceMs: mostMs, slowForMs }) {
      const now = performance.now();
      for (const [refuse, { since, isRead }] of waiting)
        if (isRead && now - since >= mostMs && now - since <= slowForMs + beginMs) refuse();
    },
  };
}

/** Before the pages: while a datastore is away, a browser is shown what is missing and not a page that can do nothing. */
export function pagesWhileAway(away: ReadonlySet<string>): RequestHandler {
  return (req, res, next) => {
    if (away.size === 0 || !isPageWanted(req)) return next();
    answerAway(req, res, { language: languageOf(req), missing: away });
  };
}
