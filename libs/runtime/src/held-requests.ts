import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** What comes while a process starts waits so long for it, so that a restart alone refuses nobody. */
const patienceMs = 700;

/** Requests that came before there was anything to answer them with. */
export interface HeldRequests {
  hold: RequestListener;
  /** Hands them on. */
  serve(handle: RequestListener): void;
  /** Refuses them, and from now on each at once: what is missing will take its time. */
  refuseAll(): void;
}

/** Holds requests for a moment; `refuse` answers those that nothing served by then. */
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
