import { type OptionKey, type OptionTab, optionAbout, optionKeys, optionSections, optionTabs, optionUnits } from '@tollgate/contracts';
import { code, table } from './markdown.ts';

const longestDefault = 60;

/** What root can set while the product runs, by tab and section of the settings. */
export function optionsPage(): string {
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
