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
import { Refusal } from '../../http/answer.ts';
import { messageOf } from '../../http/error-handler.ts';
import { Conflict } from '../../row-change.ts';
import { signInOptions } from '../third-party/working-ways.ts';
import { type CheckedOption, checkOption, failureOf, refuseUnprepared, type Wanted } from './checks.ts';
import { refuseUnconfirmedEffects } from './effects.ts';
import { formerAddressAfter, refuseLockOut, textAfter } from './lock-out.ts';

type Language = 'en' | 'zh';

/** Who changes options, in which language, and under which host name of ours. */
export interface By {
  actor: Caller;
  language: Language;
  host: string | undefined;
  /** What the change takes from people has been read: see `refuseUnconfirmedEffects`. */
  confirm: boolean;
}

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
export async function updateOption(context: Context, wanted: Wanted, by: By): Promise<void> {
  const { actor, language, confirm, host } = by;
  const checked = checkOption(wanted, language);
  refuseUnprepared(checked, (key) => context.options.stored.get(key));
  const changes = new Map([[checked.key, checked.text]]);
  await refuseLockOut(context, new Map([[checked.key, checked]]), actor);
  if (!confirm) await refuseUnconfirmedEffects(context, changes, language);
  await store(context, [checked, ...followUps(context, changes, host)], actor, async (_key, work) => work());
}

/**
 * Several options as one change: nothing is stored unless each is valid, prepared by what will stand then, and as its editor had
 * loaded it. Who keeps options in memory is told once. Throws a refusal with the failures of all.
 */
export async function updateOptions(context: Context, all: readonly Wanted[], by: By): Promise<void> {
  const { actor, language, confirm, host } = by;
  const failures: OptionFailure[] = [];
  /** What becomes of one option; undefined when it was refused. */
  const attempt: Attempt = async (key, work) => {
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
  const textThen = textAfter(stored, changes);
  const locking = [...changes.keys()].find((key) => signInOptions.has(key));
  if (locking !== undefined) await attempt(locking, () => refuseLockOut(context, changes, actor));
  for (const option of changes.values()) {
    await attempt(option.key, () => refuseUnprepared(option, textThen));
    await attempt(option.key, () => refuseStale(context, option));
  }
  if (failures.length > 0) refuse('options_refused');
  const texts = new Map([...changes].map(([key, { text }]) => [key, text]));
  if (!confirm) await refuseUnconfirmedEffects(context, texts, language);

  await store(context, [...changes.values(), ...followUps(context, texts, host)], actor, attempt);
  if (failures.length > 0) refuse('options_partly_saved');
}

/** What changes along. */
function followUps(context: Context, changes: ReadonlyMap<OptionKey, string | undefined>, host: string | undefined): CheckedOption[] {
  const former = formerAddressAfter(context, changes, host);
  return former === undefined ? [] : [{ key: 'FormerServerAddress', text: former, seen: undefined }];
}

/** Does something for an option; undefined when it was refused and that is noted. */
type Attempt = <Result>(key: string, work: () => Result | Promise<Result>) => Promise<Result | undefined>;

function nameOf(key: string): string {
  const name = optionAliases[key] ?? key;
  return isOptionKey(name) ? name : key;
}

/** Puts the model ratios back to those that we ship. */
export async function resetModelRatio(context: Context, { actor, language, confirm }: Omit<By, 'host'>): Promise<void> {
  if (!confirm) await refuseUnconfirmedEffects(context, new Map([['ModelRatio', undefined]]), language);
  const before = context.options.stored.get('ModelRatio');
  await OptionModel.deleteOne({ _id: 'ModelRatio' });
  await audit(actor, 'option.reset', 'option:ModelRatio', { before, after: optionAbout('ModelRatio').defaultText });
  await applied(context, ['ModelRatio']);
}

/**
 * Writes the texts on what stands there, all of them as one command, so that a process that dies leaves none of them alone (those that go back
 * to their defaults as another one); and the rows of the audit log. An option that was changed meanwhile is written again, or refused where its
 * editor had loaded another text. Who keeps options in memory is told of those that are stored, once.
 */
async function store(context: Context, options: readonly CheckedOption[], actor: Caller, attempt: Attempt): Promise<void> {
  const done: OptionKey[] = [];
  try {
    for (let open = options; open.length > 0; ) {
      const writes: Write[] = [];
      for (const option of open) {
        const stands = await attempt(option.key, () => refuseStale(context, option));
        if (stands) writes.push({ option, ...stands, version: await nextId('option_versions') });
      }
      const missed = await missedOf(writes);
      const written = writes.filter((each) => !missed.includes(each));
      done.push(...written.map(({ option }) => option.key));
      for (const each of written) await noteChange(each, actor);
      open = missed.map(({ option }) => option);
    }
  } finally {
    if (done.length > 0) await applied(context, done);
  }
}

interface Write {
  option: CheckedOption;
  row: Row | null;
  before: string;
  /** That it makes. */
  version: number;
}

type Row = { version?: number | null };

/** Writes them, and returns those for which somebody else was quicker. */
async function missedOf(writes: readonly Write[]): Promise<Write[]> {
  const operations = writes.flatMap(operationOf);
  if (operations.length === 0) return [];
  const result = await OptionModel.bulkWrite(operations, { ordered: false }).catch(whenTaken);
  if (result && result.matchedCount + result.upsertedCount + result.deletedCount === operations.length) return [];
  const rows = await OptionModel.find({ _id: { $in: writes.map(({ option }) => option.key) } })
    .select('version')
    .lean();
  const versions = new Map(rows.map(({ _id: key, version }) => [key, version]));
  return writes.filter(({ option: { key, text }, version }) => (text === undefined ? versions.has(key) : versions.get(key) !== version));
}

type Operation = Parameters<typeof OptionModel.bulkWrite>[0][number];

function operationOf({ option: { key, text }, row, version }: Write): Operation[] {
  const filter = { _id: key, version: row?.version ?? null };
  if (text === undefined) return row ? [{ deleteOne: { filter } }] : [];
  const value = isSecret(key) && text !== '' ? seal(text, `option:${key}`) : text;
  return [{ updateOne: { filter, update: { $set: { value, updatedAt: new Date(), version } }, upsert: row === null } }];
}

function whenTaken(error: unknown): undefined {
  if (!isDuplicate(error)) throw error;
}

async function noteChange({ option: { key, text }, before }: Write, actor: Caller): Promise<void> {
  const after = text ?? optionAbout(key).defaultText;
  const change = isSecret(key) ? { before: shown(before), after: shown(after) } : { before, after };
  await audit(actor, text === undefined ? 'option.reset' : 'option.update', `option:${key}`, change);
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
