import {
  isOptionKey,
  type OptionDescription,
  type OptionFailure,
  type OptionKey,
  type OptionList,
  type OptionView,
  optionAbout,
  optionAliases,
  optionKeys,
  optionSections,
} from '@tollgate/contracts';
import { isDuplicate, nextId, OptionModel, seal } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { messageOf } from '../../http/error-handler.ts';
import { Refusal } from '../../http/refusal.ts';
import { Conflict } from '../../row-change.ts';
import { type CheckedOption, checkOption, failureOf, refuseUnprepared, type Wanted } from './checks.ts';

type Language = 'en' | 'zh';

/** Every option with its text, but for the secret ones: these are never answered; and what each option says of itself. */
export async function listOptions({ options, offered }: Context): Promise<OptionList> {
  const rows = await OptionModel.find().select('version').lean();
  const versions = new Map(rows.map(({ _id: key, version }) => [key, version ?? 0]));
  await options.read();
  const views = optionKeys.map((key) => ({ key, value: textOf(options.stored, key), version: versions.get(key) ?? 0 }));
  const models = [...(await offered.read()).keys()].sort();
  return { data: views.filter(({ key }) => !isSecret(key)), described: describe(options.stored), offered: models };
}

function describe(stored: ReadonlyMap<OptionKey, string>): OptionDescription[] {
  const order = Object.keys(optionSections);
  const placeOf = (key: OptionKey) => order.indexOf(optionAbout(key).section);
  const inOrder = [...optionKeys].sort((one, other) => placeOf(one) - placeOf(other));
  return inOrder.map((key) => {
    const { schema: _schema, defaultText, needs = [], ...about } = optionAbout(key);
    const isSet = isSecret(key) ? textOf(stored, key) !== '' : stored.has(key);
    return { key, ...about, needs: [...needs], default: defaultText, isSet };
  }) as OptionDescription[];
}

/** One option: checks the value whole, stores it, and tells everyone who keeps options in memory. Of one that is not valid nothing is stored. */
export async function updateOption(context: Context, wanted: Wanted, actor: Caller, language: Language): Promise<void> {
  const checked = checkOption(wanted, language);
  refuseUnprepared(checked, (key) => context.options.stored.get(key));
  await store(context, checked, actor);
  await applied(context, [checked.key]);
}

/**
 * Several options as one change: nothing is stored unless each is valid, prepared by what will stand then, and as its editor had
 * loaded it. Who keeps options in memory is told once. Throws a refusal with the failures of all.
 */
export async function updateOptions(context: Context, all: readonly Wanted[], actor: Caller, language: Language): Promise<void> {
  const failures: OptionFailure[] = [];
  /** What becomes of one option; undefined when it was refused. */
  const attempt = async <Result>(key: string, work: () => Result | Promise<Result>): Promise<Result | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const conflict = error instanceof Conflict ? { stored: error.data as OptionView } : {};
      failures.push({ ...failureOf(nameOf(key), error, messageOf(error, language)), ...conflict });
      return undefined;
    }
  };
  const refuse = (code: 'options_refused' | 'options_partly_saved'): never => {
    throw new Refusal(code, { reason: failures.map(({ message }) => message).join('; ') }, { failures });
  };

  const checked: CheckedOption[] = [];
  for (const wanted of all) {
    const option = await attempt(wanted.key, () => checkOption(wanted, language));
    if (option) checked.push(option);
  }
  const changes = new Map(checked.map((option) => [option.key, option]));
  await context.options.read();
  const { stored } = context.options;
  const textThen = (key: OptionKey): string | undefined => {
    const change = changes.get(key);
    return change ? change.text : stored.get(key);
  };
  for (const option of changes.values()) {
    await attempt(option.key, () => refuseUnprepared(option, textThen));
    await attempt(option.key, () => refuseStale(context, option));
  }
  if (failures.length > 0) refuse('options_refused');

  const done: OptionKey[] = [];
  try {
    for (const option of changes.values()) {
      await attempt(option.key, async () => {
        await store(context, option, actor);
        done.push(option.key);
      });
    }
  } finally {
    if (done.length > 0) await applied(context, done);
  }
  if (failures.length > 0) refuse('options_partly_saved');
}

function nameOf(key: string): string {
  const name = optionAliases[key] ?? key;
  return isOptionKey(name) ? name : key;
}

/** Puts the model ratios back to those that we ship. */
export async function resetModelRatio(context: Context, actor: Caller): Promise<void> {
  const before = context.options.stored.get('ModelRatio');
  await OptionModel.deleteOne({ _id: 'ModelRatio' });
  await audit(actor, 'option.reset', 'option:ModelRatio', { before, after: optionAbout('ModelRatio').defaultText });
  await applied(context, ['ModelRatio']);
}

/** Writes the text on what stands there, and the row of the audit log. Throws a conflict when that is not what the editor had loaded. */
async function store(context: Context, option: CheckedOption, actor: Caller): Promise<void> {
  const { key, text = optionAbout(option.key).defaultText } = option;
  for (;;) {
    const { row, before } = await refuseStale(context, option);
    if (!(await written(option, row))) continue;
    const change = isSecret(key) ? { before: shown(before), after: shown(text) } : { before, after: text };
    await audit(actor, option.text === undefined ? 'option.reset' : 'option.update', `option:${key}`, change);
    return;
  }
}

type Row = { version?: number | null };

/** False when somebody else was quicker. */
async function written({ key, text }: CheckedOption, row: Row | null): Promise<boolean> {
  const asRead = { _id: key, version: row?.version ?? null };
  if (text === undefined) return !row || (await OptionModel.deleteOne(asRead)).deletedCount === 1;
  const value = isSecret(key) && text !== '' ? seal(text, `option:${key}`) : text;
  const fields = { value, updatedAt: new Date(), version: await nextId('option_versions') };
  if (row) return (await OptionModel.updateOne(asRead, { $set: fields })).matchedCount === 1;
  return OptionModel.create({ _id: key, ...fields }).then(() => true, whenTaken);
}

function whenTaken(error: unknown): boolean {
  if (isDuplicate(error)) return false;
  throw error;
}

/** The row as it stands, and its text; throws when an editor had loaded another one, unless it is what the editor wants. */
async function refuseStale({ options }: Context, { key, text, seen }: CheckedOption): Promise<{ row: Row | null; before: string }> {
  const row = await OptionModel.findById(key).select('version').lean();
  await options.read(new Set([key]));
  const before = textOf(options.stored, key);
  const stands = row?.version ?? 0;
  const isSame = before === (text ?? optionAbout(key).defaultText);
  if (seen === undefined || seen === stands || isSame) return { row, before };
  throw new Conflict({ key, value: isSecret(key) ? '' : before, version: stands } satisfies OptionView);
}

async function applied(context: Context, keys: readonly OptionKey[]): Promise<void> {
  await context.options.read(new Set(keys));
  await context.announce('option', keys.join(','));
}

function isSecret(key: OptionKey): boolean {
  return optionAbout(key).access === 'secret';
}

function textOf(stored: ReadonlyMap<OptionKey, string>, key: OptionKey): string {
  return stored.get(key) ?? optionAbout(key).defaultText;
}

function shown(secret: string): string {
  return secret === '' ? '' : '(set)';
}
