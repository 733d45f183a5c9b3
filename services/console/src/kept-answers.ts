const mostKept = 200;

/** Answers that may be as old as `longestMs()` says: what is asked for again meanwhile is not worked out again. A failure is not kept, nor what is not worth it. */
export function keptFor<T>(longestMs: () => number, isWorthIt: (answer: T) => boolean = () => true) {
  const answers = new Map<string, { atMs: number; answer: Promise<T> }>();
  return (asked: string, work: () => Promise<T>): Promise<T> => {
    const known = answers.get(asked);
    const ageMs = Date.now() - (known?.atMs ?? 0);
    if (known && ageMs >= 0 && ageMs < longestMs()) return known.answer;
    const fresh = { atMs: Date.now(), answer: work() };
    answers.delete(asked);
    answers.set(asked, fresh);
    const forget = (): void => void (answers.get(asked) === fresh && answers.delete(asked));
    fresh.answer.then((answer) => isWorthIt(answer) || forget(), forget);
    const [oldest] = answers.keys();
    if (answers.size > mostKept && oldest !== undefined) answers.delete(oldest);
    return fresh.answer;
  };
}
