import { join } from 'node:path';
import { repository } from '../repository.ts';
import { code, table } from './markdown.ts';
import { optionsPage } from './options-page.ts';
import { localSettings, type Setting, serviceSettings } from './read-settings.ts';

/** The generated pages, by path: the settings, .env.example, and the list of options. */
export async function settingsPages(): Promise<Record<string, string>> {
  const local = localSettings();
  const names = new Set(local.map(({ name }) => name));
  const further = (await serviceSettings()).filter(({ name }) => !names.has(name));
  return {
    [join(repository, 'docs/settings.md')]: settingsPage(local, further),
    [join(repository, '.env.example')]: envExample(local, further),
    [join(repository, 'libs/options/OPTIONS.md')]: optionsPage(),
  };
}

function settingsPage(local: Setting[], further: Setting[]): string {
  return [
    '# Settings',
    'Read once at the start, from the environment or from a file `.env` (`ENV_FILE` names another). `NAME_FILE` names a file that holds `NAME`, as mounted secrets do. A wrong setting stops the start with the full list of problems. Written by `npm run settings`; do not edit.',
    table(
      ['setting', 'default', 'what it is'],
      local.map((each) => [code(each.name), shownDefault(each), each.meaning]),
    ),
    'The services read these too. `npm start` passes them on, except for ports and addresses, which it chooses itself; with compose and Kubernetes they stand in the manifests.',
    table(
      ['setting', 'of', 'default', 'what it is'],
      further.map((each) => [code(each.name), each.services.join(', '), shownDefault(each), each.meaning]),
    ),
    '',
  ].join('\n\n');
}

function envExample(local: Setting[], further: Setting[]): string {
  const entry = (each: Setting) => `# ${each.meaning}\n#${each.name}=${each.default ?? ''}\n`;
  return [
    '# Copy to .env and uncomment what you change. The environment comes before this file. Written by `npm run settings`.\n',
    ...local.map(entry),
    '# --- of the services; `npm start` chooses ports and addresses itself ---\n',
    ...further.map(entry),
  ].join('\n');
}

function shownDefault({ default: value, isRequired }: Setting): string {
  if (isRequired) return 'required';
  return value === undefined ? '' : code(value);
}
