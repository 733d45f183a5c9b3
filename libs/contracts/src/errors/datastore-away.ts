/** A datastore (MongoDB, Redis, Kafka) does not answer. Waiting helps; a refused login or a wrong setting is another error. */
export class DatastoreAway extends Error {
  readonly datastore: string;

  constructor(datastore: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'DatastoreAway';
    this.datastore = datastore;
  }
}
