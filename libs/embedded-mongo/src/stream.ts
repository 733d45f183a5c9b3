/** A sequence that now and then yields undefined: a good moment to let other commands run. */
export type Stream<T> = Generator<T | undefined, void>;
