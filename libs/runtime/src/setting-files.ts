import { readFileSync } from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings from files, such as mounted secrets: `NAME_FILE` names a file that holds `NAME`, without its final newline. `problems`
 * lists unreadable files and settings that are given both ways; it contains paths, never values.
 */
export function fromFiles(names: readonly string[], environment: Environment): { given: Record<string, string>; problems: string[] } {
  const given = Object.fromEntries(Object.entries(environment).filter((entry): entry is [string, string] => !!entry[1]?.trim()));
  const problems: string[] = [];
  for (const name of names) {
    const file = `${name}_FILE`;
    const path = given[file];
    if (path === undefined || names.includes(file)) continue;
    delete given[file];
    if (given[name] !== undefined) {
      problems.push(`${file}: ${name} is set, too; only one of them can count`);
      continue;
    }
    try {
      given[name] = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      problems.push(`${file}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  return { given, problems };
}
