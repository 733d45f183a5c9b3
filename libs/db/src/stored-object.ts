import { model, Schema } from 'mongoose';

/** What the Responses API keeps for a user between two calls. The texts are in `sealed`; the rest finds them. */
export interface StoredObjectRow {
  /** `<user id>:<object id>`; of what belongs to another object, that object's `_id`, a slash and its own. */
  _id: string;
  userId: number;
  /** `events`: a run of the events of a response that was created in the background as a stream. */
  kind: 'response' | 'conversation' | 'item' | 'events';
  /** The `_id` of the object that this one belongs to, and its place in it. */
  parent?: string;
  place?: number;
  /** Of a response: the ids of its items, and of the responses before it, the first one first. */
  itemIds?: string[];
  chain?: string[];
  /** The channel whose provider keeps the response; nothing is sealed here then. */
  channelId?: number;
  /** Which of that channel's keys the response was created with, where it had several. */
  keyId?: number;
  /** Tokens of such a response and all before it: what the next turn has as its prompt besides. */
  tokens?: number;
  /** Of a response that was created in the background, until it has ended. */
  isRunning?: true;
  /** When it counts as lost: the process that works on it moves this. */
  aliveUntil?: Date;
  bytes: number;
  at: Date;
  expiresAt: Date;
  sealed?: string;
}

const storedObjectSchema = new Schema<StoredObjectRow>(
  {
    _id: { type: String, required: true },
    userId: { type: Number, required: true },
    kind: { type: String, required: true },
    parent: String,
    place: Number,
    itemIds: { type: [String], default: undefined },
    chain: { type: [String], default: undefined },
    channelId: Number,
    keyId: Number,
    tokens: Number,
    isRunning: Boolean,
    aliveUntil: Date,
    bytes: { type: Number, required: true },
    at: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    sealed: String,
  } as never,
  { versionKey: false, minimize: false },
);
storedObjectSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
storedObjectSchema.index({ userId: 1, at: 1 });
storedObjectSchema.index({ parent: 1, place: 1 }, { partialFilterExpression: { parent: { $gt: '' } } });
storedObjectSchema.index({ userId: 1, itemIds: 1 }, { partialFilterExpression: { itemIds: { $exists: true } } });

export const StoredObject = model<StoredObjectRow>('StoredObject', storedObjectSchema, 'stored_objects');
