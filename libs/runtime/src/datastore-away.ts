import { DatastoreAway } from '@tollgate/contracts';

const mongoErrors = /^Mongo(?:oseServerSelection|ServerSelection|Network|NotConnected|PoolCleared|TopologyClosed|WaitQueueTimeout)/;
const redisErrors = /^(?:MaxRetriesPerRequestError|AbortError)$/;
const kafkaErrors =
  /^KafkaJS(?:NumberOfRetriesExceeded|Connection|ConnectionClosed|BrokerNotFound|RequestTimeout|GroupCoordinatorNotFound|Timeout|LockTimeout)/;
/** Redis answers, but takes no writes or nothing at all: https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors */
const redisUnready = /^(?:MISCONF|NOREPLICAS|READONLY|LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|OOM) /;
const redisGone = /^(?:Connection is closed\.|Command timed out|Socket timeout|Stream isn't writeable|connect E(?:CONNREFUSED|NOENT))/;
/** MongoDB's code for a disk that is full. */
const outOfDiskSpace = 14031;
const mostCauses = 5;

/** The name of the datastore whose absence, or lack of room to write, an error comes from; undefined: it comes from something else. */
export function datastoreAway(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < mostCauses && current instanceof Error; depth += 1) {
    const { name, message, cause } = current;
    if (current instanceof DatastoreAway) return current.datastore;
    if (mongoErrors.test(name) || ('code' in current && current.code === outOfDiskSpace)) return 'MongoDB';
    if (kafkaErrors.test(name)) return 'Kafka';
    if (redisErrors.test(name) || redisUnready.test(message) || redisGone.test(message)) return 'Redis';
    current = cause;
  }
  return undefined;
}
