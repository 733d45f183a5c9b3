import { isOptionKey, type OptionKey, optionAbout, optionAliases } from '@tollgate/contracts';
import { ImportRow, isDuplicate, nextId, OptionModel, seal } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { checkOption } from '../features/options/checks.ts';
import { markDone, placesOf } from './places.ts';
import { sourceOption } from './rows.ts';
import { noteLeftOut, type Run, readable } from './run.ts';

/** What belongs to the old address, or could lock root out: it is set by hand when this installation takes over. */
const byHand: ReadonlySet<string> = new Set([
  'ServerAddress',
  'CustomCallbackAddress',
  'FormerServerAddress',
  'PasswordLoginEnabled',
  'TurnstileCheckEnabled',
]);

/** Takes over the options that we have too, where they are not set here. */
export async function importOptions(run: Run): Promise<void> {
  const rows = readable(run, 'option', { rows: await run.source.select('SELECT * FROM "options" ORDER BY "key"'), schema: sourceOption });
  const stored = new Map((await OptionModel.find().select('_id').lean()).map(({ _id }) => [_id as string, true]));
  const earlier = new Map((await ImportRow.find({ importId: run.name, kind: 'option' }).lean()).map((row) => [row._id, row.isDone]));
  const isOurs = (key: string) => earlier.has(`${run.name}/option/${key}`);
  const texts = new Map<OptionKey, string>();
  for (const { key: given, value } of rows) {
    const text = checked(run, given, value);
    if ('leftOut' in text) noteLeftOut(run, 'option', { which: given, text: text.leftOut });
    else if (stored.has(text.key) && !isOurs(text.key)) noteLeftOut(run, 'option', { which: given, text: 'it is set here already' });
    else texts.set(text.key, text.text);
  }
  for (const [key, text] of texts) {
    const missing = (optionAbout(key).needs ?? []).filter((needed) => !texts.get(needed as OptionKey) && !stored.has(needed));
    if (missing.length > 0 && text === 'true') noteLeftOut(run, 'option', { which: key, text: `it needs ${missing.join(', ')}` });
    else await importOption(run, { key, text, isDone: earlier.get(`${run.name}/option/${key}`) === true });
  }
}

async function importOption(run: Run, { key, text, isDone }: { key: OptionKey; text: string; isDone: boolean }): Promise<void> {
  run.options.set(key, text);
  run.report[isDone ? 'unchanged' : 'made'].option += 1;
  if (isDone || !run.apply) return;
  const places = await placesOf(run, 'option', [{ key }]);
  const version = await setOption(key, text);
  // By it an undo knows that nobody has changed the option since.
  await ImportRow.updateOne({ _id: places.get(key)?._id ?? '' }, { $set: { name: String(version) } });
  await markDone(run, [...places.values()]);
}

/** The option here and its text as it is stored; or why it is left out. */
function checked(run: Run, given: string, value: string): { key: OptionKey; text: string } | { leftOut: string } {
  const key = optionAliases[given] ?? given;
  if (!isOptionKey(key)) return { leftOut: 'there is no such option here' };
  if (byHand.has(key)) return { leftOut: 'set it by hand when this installation takes over' };
  const whole = attempt(key, value);
  const entries = 'leftOut' in whole ? entriesIn(value) : undefined;
  if (entries === undefined) return whole;
  const refused = entries.filter(([name, entry]) => 'leftOut' in attempt(key, JSON.stringify({ [name]: entry })));
  const rest = attempt(key, JSON.stringify(Object.fromEntries(entries.filter((entry) => !refused.includes(entry)))));
  if ('leftOut' in rest) return whole;
  const names = refused.map(([name, entry]) => `${name} (${JSON.stringify(entry)})`).join(', ');
  noteLeftOut(run, 'option', { which: given, text: `its entries ${names} are not valid here` });
  return rest;
}

function attempt(key: OptionKey, value: string): { key: OptionKey; text: string } | { leftOut: string } {
  try {
    return { key, text: checkOption({ key, value }, 'en').text ?? value };
  } catch (error) {
    if (error instanceof AppError) return { leftOut: error.message };
    throw error;
  }
}

/** The entries of a JSON object; undefined for any other text. */
function entriesIn(text: string): [string, unknown][] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined;
  } catch {
    return undefined;
  }
}

async function setOption(key: OptionKey, text: string): Promise<number> {
  const value = optionAbout(key).access === 'secret' && text !== '' ? seal(text, `option:${key}`) : text;
  try {
    return (await OptionModel.create({ _id: key, value, updatedAt: new Date(), version: await nextId('option_versions') })).version;
  } catch (error) {
    if (!isDuplicate(error)) throw error; // a run that was killed had set it
    return 0;
  }
}
