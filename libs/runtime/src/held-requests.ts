import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** How long requests wait for a starting process, so that a restart alone rejects no request. */
const patienceMs = 700;

/** Requests that arrived before the process could handle them. */
export interface HeldRequests {
  hold: RequestListener;
  /** Passes them to `handle`. */
  serve(handle: RequestListener): void;
  /** Rejects them, and each later one at once: a missing datastore takes longer. */
  refuseAll(): void;
}

/** Holds requests for a moment; `refuse` answers those not served by then. */
export function holdRequests(refuse: RequestListener): HeldRequests {
  const held = new Map<ServerResponse, { request: IncomingMessage; timer: NodeJS.Timeout }>();
  let isPatient = true;

  function release(response: ServerResponse, handle: RequestListener): void {
    const waiting = held.get(response);
    if (waiting === undefined) return;
    held.delete(response);
    clearTimeout(waiting.timer);
    if (!response.destroyed) handle(waiting.request, response);
  }
  function releaseAll(handle: RequestListener): void {
    for (const response of [...held.keys()]) release(response, handle);
  }

  return {
    hold(request, response) {
      if (!isPatient) return refuse(request, response);
      held.set(response, { request, timer: setTimeout(() => release(response, refuse), patienceMs) });
    },
    serve: releaseAll,
    refuseAll() {
      isPatient = false;
      releaseAll(refuse);
    },
  };
}
