import { join } from 'node:path';
import { type OptionKey, type OptionTab, optionAbout, optionKeys, optionSections, optionTabs, optionUnits } from '@tollgate/contracts';
import { repository } from '../repository.ts';
import { agentsPage } from './agents-page.ts';
import { localSettings, type Setting, serviceSettings } from './read-settings.ts';

const longestDefault = 60;

/** What root can set while the product runs, by tab and section of the settings. */
function optionsPage(): string {
  const tabs = Object.entries(optionTabs).map(([tab, { en }]) => [`## ${en}`, ...sectionsOf(tab as OptionTab)].join('\n\n'));
  return [
    '# Options',
    'What root sets at `/setting` or by `PUT /api/option/batch`, while the product runs. Written by `npm run settings` from `libs/contracts/src/options`; do not edit.',
    'Who may read an option: everybody (`/api/status`) when it is public, nobody when it is secret, else root.',
    ...tabs,
    '',
  ].join('\n\n');
}

function sectionsOf(tab: OptionTab): string[] {
  const sections = Object.entries(optionSections).filter(([, section]) => section.tab === tab);
  return sections.map(([name, { en, zh }]) => {
    const rows = optionKeys.filter((key) => optionAbout(key).section === name).map(rowOf);
    return `### ${en} (${zh})\n\n${table(['option', 'called', 'value', 'default', 'what it is'], rows)}`;
  });
}

function rowOf(key: OptionKey): string[] {
  const { label, help, access, needs = [], defaultText } = optionAbout(key);
  const shown = defaultText.length <= longestDefault ? defaultText.replaceAll('\n', ' ') : '…';
  const notes = [
    help?.en ?? '',
    needs.length > 0 ? `Needs ${needs.map(code).join(', ')}.` : '',
    access === 'root' ? '' : `${access === 'public' ? 'Public' : 'Secret'}.`,
  ];
  return [code(key), `${label.en} / ${label.zh}`, possibleValues(key), shown === '' ? '' : code(shown), notes.filter(Boolean).join(' ')];
}

function possibleValues(key: OptionKey): string {
  const { kind, unit, min, max, choices } = optionAbout(key);
  if (choices) return Object.keys(choices).map(code).join(', ');
  const bounds = [min === undefined ? '' : `at least ${min}`, max === undefined ? '' : `at most ${max}`].filter(Boolean).join(', ');
  return [kind, unit && optionUnits[unit].en, bounds].filter(Boolean).join(', ');
}

/** The generated pages, by path: the settings, .env.example, the list of options, and the settings of coding agents. */
export async function settingsPages(): Promise<Record<string, string>> {
  const local = localSettings();
  const names = new Set(local.map(({ name }) => name));
  const further = (await serviceSettings()).filter(({ name }) => !names.has(name));
  return {
    [join(repository, 'docs/settings.md')]: settingsPage(local, further),
    [join(repository, '.env.example')]: envExample(local, further),
    [join(repository, 'libs/options/OPTIONS.md')]: optionsPage(),
    [join(repository, 'docs/guides/use-with.md')]: agentsPage(),
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

function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}
