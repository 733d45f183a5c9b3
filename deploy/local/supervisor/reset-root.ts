import { readOptions } from './arguments.ts';
import { runConsoleProgram } from './console-program.ts';
import { answering } from './refusal.ts';

const usage = [
  'Gives root a new password, printed once, where the old one or the second step is lost. Tollgate must be running.',
  '  npm run reset-root',
].join('\n');

/** `npm run reset-root`: the console's program, on the database of this installation. */
await answering(() => {
  readOptions(process.argv.slice(2), {}, usage);
  return runConsoleProgram('reset-root.ts');
});
