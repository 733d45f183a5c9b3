/** Names of MongoDB's error codes, as drivers show them. */
const codeNames: Record<number, string> = {
  1: 'InternalError',
  2: 'BadValue',
  9: 'FailedToParse',
  11: 'UserNotFound',
  14: 'TypeMismatch',
  15: 'Overflow',
  16: 'InvalidLength',
  20: 'IllegalOperation',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  31: 'CannotCreateIndex',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  50: 'MaxTimeMSExpired',
  52: 'DollarPrefixedFieldName',
  54: 'NotSingleValueField',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  115: 'CommandNotSupported',
  121: 'DocumentValidationFailure',
  168: 'InvalidPipelineOperator',
  175: 'QueryPlanKilled',
  197: 'InvalidIndexSpecificationOption',
  238: 'NotImplemented',
  276: 'IndexBuildAborted',
  292: 'QueryExceededMemoryLimitNoDiskUseAllowed',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  11600: 'InterruptedAtShutdown',
  11601: 'Interrupted',
  14031: 'OutOfDiskSpace',
  22: 'InvalidBSON',
};

/** An answer with `ok: 0` (or a write error), in MongoDB's own numbers. */
export class CommandError extends Error {
  readonly code: number;
  readonly codeName: string;
  /** Further fields of the answer, such as `keyPattern` and `keyValue`. */
  readonly details: Record<string, unknown>;

  constructor(code: number, message: string, details: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.codeName = codeNames[code] ?? `Location${code}`;
    this.details = details;
  }
}

/** The store's file could not be opened; the message tells the operator what to do. */
export class StoreUnusable extends Error {}

/** SQLite could not write: everything of the open transaction is undone. */
export class WriteFailed extends CommandError {}
