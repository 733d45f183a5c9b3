import { BSONRegExp } from 'bson';
import { CommandError } from '../errors.ts';

/**
 * A regular expression in JavaScript's own form. MongoDB's are PCRE: a leading `(?i)` becomes a flag, and what only PCRE
 * knows is refused. Throws: CommandError 51091.
 */
export function patternOf(pattern: unknown, options: unknown = ''): RegExp {
  let [source, flags] = ['', String(options ?? '')];
  if (pattern instanceof BSONRegExp) [source, flags] = [pattern.pattern, flags || pattern.options];
  else if (pattern instanceof RegExp) [source, flags] = [pattern.source, flags || pattern.flags];
  else if (typeof pattern === 'string') source = pattern;
  else throw new CommandError(2, '$regex has to be a string');
  const inline = /^\(\?([imsx]+)\)/.exec(source);
  if (inline) [source, flags] = [source.slice(inline[0].length), flags + (inline[1] as string)];
  if (flags.includes('x')) throw new CommandError(51091, "the bundled store has no 'x' option for regular expressions");
  try {
    return new RegExp(source, [...new Set(flags)].filter((flag) => 'ims'.includes(flag)).join(''));
  } catch (cause) {
    throw new CommandError(51091, `Regular expression is invalid: ${(cause as Error).message}`);
  }
}
