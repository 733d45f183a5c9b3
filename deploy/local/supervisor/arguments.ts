import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { Refusal } from './refusal.ts';

/**
 * The options that a command was given. Throws Refusal, with how it is used, when one of them is not its own: a slip in `--fresh` or
 * `--without-secrets` must not be taken for its absence.
 */
export function readOptions<Options extends ParseArgsOptionsConfig>(args: string[], options: Options, usage: string) {
  try {
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    throw new Refusal(`${(error as Error).message}\n\n${usage}`);
  }
}
