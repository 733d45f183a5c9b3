import type { Answer, Command, Request, Work } from './commands/request.ts';
import { CommandError, WriteFailed } from './errors.ts';
import { asCommandError } from './storage/database.ts';
import type { Store } from './store.ts';

/** One command under way. */
export interface Job {
  command: Command;
  request: Request;
  /** When to give up, in ms since the epoch. */
  deadlineMs?: number;
  isAlive(): boolean;
  reply(answer: Answer | CommandError): void;
}

export interface Executor {
  submit(job: Job): void;
  /** Commits what is open and answers it. */
  flush(): void;
  /** In a quiet moment: writes index entries that have been waiting for a while, so that no reader has to. */
  tidy(): void;
  /** Refuses what is new, ends what is under way; what takes longer than `graceMs` is given up between two of its steps. */
  close(graceMs: number): Promise<void>;
}

interface Running extends Job {
  work: Work;
  /** It has written since the last commit. */
  wrote: boolean;
}

const sliceMs = 8;
/** How long a writer that nobody waits for may go on before it is committed: many small commits write the same pages again and again. */
const longestTransactionMs = 40;

/**
 * Runs commands one step at a time on the one thread there is. All writes of one turn of the event loop share one
 * transaction, so that one sync serves them all, and no answer leaves while the transaction that it saw or made is open:
 * what a client has read or was told is on disk. Work that takes longer than a slice lets the others run in between.
 */
export function openExecutor(store: Store, log: (error: unknown) => void): Executor {
  let running: Running[] = [];
  let waiting: { job: Job; answer: Answer | CommandError }[] = [];
  let scheduled = false;
  let closing = false;
  let committedAt = 0;

  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(turn);
  };

  const finish = (job: Job, answer: Answer | CommandError) => {
    if (!store.database.isDirty()) return job.reply(answer);
    waiting.push({ job, answer });
    schedule();
  };

  /** The transaction is lost: its writers fail, its readers read again. */
  const abandon = (failure: CommandError) => {
    try {
      store.database.rollback();
      store.catalogue.reload();
      store.entries.recover(true);
    } catch (error) {
      log(error);
    }
    const lost = waiting;
    waiting = [];
    const writers = running.filter(({ wrote }) => wrote);
    running = running.filter(({ wrote }) => !wrote);
    for (const job of writers) job.reply(failure);
    for (const { job } of lost) if (job.command.writes) job.reply(failure);
    for (const { job } of lost) if (!job.command.writes) submit(job);
  };

  /** Deliberate refusals come before anything is written; any other error may have left a write half done. */
  const fail = (job: Job, error: unknown) => {
    if (error instanceof CommandError && !(error instanceof WriteFailed)) return finish(job, error);
    log(error);
    const known = asCommandError(error);
    const answer = known instanceof CommandError ? known : new CommandError(1, `internal error: ${(error as Error).message}`);
    if (!store.database.isDirty()) return finish(job, answer);
    waiting.push({ job, answer });
    abandon(answer);
  };

  /** Runs a job until it is done or its slice is over. */
  const step = (job: Running) => {
    const until = performance.now() + sliceMs;
    try {
      while (true) {
        const { value, done } = job.work.next();
        if (done) return finish(job, value);
        if (performance.now() < until) continue;
        if (!job.isAlive()) return;
        if (job.deadlineMs !== undefined && Date.now() > job.deadlineMs) throw new CommandError(50, 'operation exceeded time limit');
        job.wrote ||= job.command.writes === true && store.database.isDirty();
        running.push(job);
        return schedule();
      }
    } catch (error) {
      fail(job, error);
    }
  };

  const submit = (job: Job) => {
    if (closing) return job.reply(stopping());
    let result: ReturnType<Command['run']>;
    try {
      result = job.command.run(store, job.request);
    } catch (error) {
      return fail(job, error);
    }
    if (result instanceof Promise)
      result.then(
        (answer) => finish(job, answer),
        (error) => fail(job, error),
      );
    else if (isWork(result)) step({ ...job, work: result, wrote: false });
    else finish(job, result);
  };

  const flush = () => {
    if (!store.database.isDirty()) return;
    try {
      store.entries.trim();
      store.catalogue.saveCounts();
      store.database.commit();
    } catch (error) {
      const known = asCommandError(error);
      log(known);
      return abandon(known instanceof CommandError ? known : new CommandError(1, String(error)));
    }
    committedAt = performance.now();
    const done = waiting;
    waiting = [];
    for (const job of running) job.wrote = false;
    for (const { job, answer } of done) job.reply(answer);
  };

  const turn = () => {
    scheduled = false;
    for (let left = running.length; left > 0 && running.length > 0; left--) step(running.shift() as Running);
    if (waiting.length > 0 || running.length === 0 || performance.now() - committedAt > longestTransactionMs) flush();
    if (running.length > 0 || waiting.length > 0) schedule();
  };

  return {
    submit,
    flush,
    tidy() {
      if (running.length > 0 || waiting.length > 0 || store.database.isDirty()) return;
      try {
        store.entries.settleResting();
      } catch (error) {
        log(error);
        return abandon(new CommandError(1, String(error)));
      }
      flush();
    },
    async close(graceMs) {
      closing = true;
      const until = Date.now() + graceMs;
      while ((running.length > 0 || waiting.length > 0) && Date.now() < until) await new Promise((resolve) => setImmediate(resolve));
      for (const job of running) job.reply(stopping());
      running = [];
      flush();
    },
  };
}

function stopping(): CommandError {
  return new CommandError(11600, 'the bundled store is stopping');
}

function isWork(result: Answer | Work): result is Work {
  return typeof (result as Work).next === 'function' && !Buffer.isBuffer(result);
}
