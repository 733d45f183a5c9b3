import type { ChildProcess } from 'node:child_process';

/**
 * The arguments are the engine's command. Prints the engine's pid on fd 3, reads the lifeline on fd 4 (which it inherits: one that it
 * had to open it could come too late for). The engine gets SIGTERM once nobody holds the lifeline open any more: supervisor and
 * services are gone, in whatever way, and have written their last.
 */
const guard = `
"$@" </dev/null 3>&- 4<&- &
engine=$!
echo $engine >&3
exec 3>&-
{
  cat <&4 >/dev/null &
  reader=$!
  trap 'kill $reader 2>/dev/null; exit 0' TERM
  wait $reader
  kill -TERM $engine 2>/dev/null
} >/dev/null 2>&1 &
watcher=$!
wait $engine
code=$?
kill -TERM $watcher 2>/dev/null
exit $code
`;

/** The engine's command inside a shell that ends it when supervisor and services are all gone. */
export function guardedCommand(engine: { command: string; args: string[] }): { command: string; args: string[] } {
  return { command: '/bin/sh', args: ['-c', guard, 'guard', engine.command, ...engine.args] };
}

/** The pid of the engine itself, as its guard tells it. */
export function pidFromGuard(child: ChildProcess): Promise<number> {
  const pipe = child.stdio[3] as NodeJS.ReadableStream;
  return new Promise((resolve) => {
    let text = '';
    pipe.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.endsWith('\n')) resolve(Number(text));
    });
  });
}
