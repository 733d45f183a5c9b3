/**
 * What a relay and the supervisor whose listening socket it inherits send each other. `listens` carries a second descriptor of that socket,
 * `connection` one that waited at the supervisor.
 */
export const publicPortMessages = {
  listens: 'public port: listens',
  /** It answers requests, if only with what is missing. */
  answers: 'public port: answers',
  leaves: 'public port: leaves',
  connection: 'public port: connection',
  /** The supervisor wants the second descriptor again. */
  listensAgain: 'public port: listens again',
  /** The supervisor wants `lives` at once: a relay that does not send it hangs. */
  probe: 'public port: probe',
  lives: 'public port: lives',
} as const;
