import { DatastoreAway } from '@tollgate/contracts';

const mongoErrors = /^Mongo(?:oseServerSelection|ServerSelection|Network|NotConnected|PoolCleared|TopologyClosed|WaitQueueTimeout)/;
const redisErrors = /^(?:MaxRetriesPerRequestError|AbortError)$/;
const kafkaErrors =
  /^KafkaJS(?:NumberOfRetriesExceeded|Connection|ConnectionClosed|BrokerNotFound|RequestTimeout|GroupCoordinatorNotFound|Timeout|LockTimeout)/;
/** Redis answers but accepts no writes or no commands: https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors */
const redisUnready = /^(?:MISCONF|NOREPLICAS|READONLY|LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|OOM) /;
const redisGone = /^(?:Connection is closed\.|Command timed out|Socket timeout|Stream isn't writeable|connect E(?:CONNREFUSED|NOENT))/;
/** MongoDB's error code for a full disk. */
const outOfDiskSpace = 14031;
const mostCauses = 5;

/** The datastore whose outage or full disk caused an error; undefined for other errors. */
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
