import { builtInCatalog, openCatalog } from '@tollgate/contracts/catalog';
import type { ListPrice, ModelEntry, PriceCondition } from '@tollgate/contracts/catalog/schema';

/** The page `docs/models.md`: what the built-in catalog says of each model, by provider. */
export function modelsPage(): string {
  const { facts } = openCatalog(builtInCatalog);
  const providers = [...new Set(builtInCatalog.models.map(({ provider }) => provider))].sort();
  const sections = providers.map((provider) => {
    const models = builtInCatalog.models.filter((entry) => entry.provider === provider && entry.price !== undefined);
    const rows = models
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map((entry) => rowOf(entry, facts(entry.name)?.rules.endpoint));
    return rows.length === 0 ? [] : [`## ${provider}`, '', ...head, ...rows, ''];
  });
  return `${[...intro, ...sections.flat()].join('\n').trimEnd()}\n`;
}

const intro = [
  '# Models',
  '',
  '<!-- written by `node tools/model-catalog/write-page.ts`, do not edit -->',
  '',
  'What the built-in model catalog knows. A fresh installation charges these prices for models that its price options do not name; an entry in the options overrides the catalog.',
  'Prices are US dollars for a million tokens. Rules of a family (parameters, reasoning, schemas) are in `libs/contracts/src/data/catalog/families.json`, each with its source.',
  '',
];

const head = [
  '| model | input | output | cache read | cache write | context | longest answer | endpoint | also | source |',
  '| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- | --- |',
];

function rowOf({ name, price = {}, limits, source, read, says, official }: ModelEntry, endpoint: string | undefined): string {
  const { input, output, cacheRead, cacheWrite, call } = price;
  const shown = [call === undefined ? input : `${call} a call`, output, cacheRead, cacheWrite, limits?.context, limits?.output, endpoint];
  const remarks = `${says === undefined ? '' : `: ${says}`}${official === undefined ? '' : ` ([official page](${official}), not read)`}`;
  const origin = `[${price.read ?? read}](${price.source ?? source})${remarks}`;
  return `| ${[name, ...shown.map((one) => one ?? ''), alsoOf(price), origin].join(' | ')} |`;
}

/** What changes the price, in a few words. */
function alsoOf({ variants = [], audioInput, audioOutput, imageInput, imageOutput, reasoning }: ListPrice): string {
  const classes = Object.entries({
    'audio input': audioInput,
    'audio output': audioOutput,
    'image input': imageInput,
    'image output': imageOutput,
    reasoning,
  });
  const named = classes.flatMap(([kind, dollars]) => (dollars === undefined ? [] : [`${kind} ${dollars}`]));
  const changed = variants.map(({ when, times, input, output }) => {
    const cost = times === undefined ? `${input ?? 'same'} / ${output ?? 'same'}` : `${times} times`;
    return `${conditionText(when)}: ${cost}`;
  });
  return [...named, ...changed].join('; ');
}

function conditionText({ above, field, from, until, hours, weekdays }: PriceCondition): string {
  const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
  return [
    above !== undefined && `above ${above} prompt tokens`,
    field,
    from && `from ${from}`,
    until && `until ${until}`,
    hours && `${hours.map((period) => period.join('–')).join(', ')} UTC`,
    weekdays?.map((one) => days[one]).join(', '),
  ]
    .filter(Boolean)
    .join(', ');
}
