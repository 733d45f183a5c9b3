import {
  isOptionKey,
  type OptionKey,
  type OptionView,
  optionAbout,
  optionAliases,
  optionKeys,
  optionRegistry,
  type UpdateOptionBody,
} from '@tollgate/contracts';
import { isDuplicate, nextId, OptionModel, seal } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { z } from 'zod';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { reasonOf } from '../../http/error-handler.ts';
import { Conflict } from '../../row-change.ts';

/** Every option with its text, but for the secret ones: these are never answered. */
export async function listOptions({ options }: Context): Promise<OptionView[]> {
  const rows = await OptionModel.find().select('version').lean();
  const versions = new Map(rows.map(({ _id: key, version }) => [key, version ?? 0]));
  await options.read();
  return optionKeys
    .filter((key) => optionRegistry[key].access !== 'secret')
    .map((key) => ({ key, value: textOf(options.stored, key), version: versions.get(key) ?? 0 }));
}

/** Checks the value whole, stores it, and tells everyone who keeps options in memory. Nothing is stored of a value that is not valid. */
export async function updateOption(context: Context, body: UpdateOptionBody, actor: Caller, language: 'en' | 'zh'): Promise<void> {
  const key = optionAliases[body.key] ?? body.key;
  if (!isOptionKey(key)) throw new AppError('unknown_option', { key: body.key });
  const text = checkedText(key, body.value, language);
  if (text === 'true') refuseUnprepared(key, context);
  const secret = optionRegistry[key].access === 'secret';
  const value = secret && text !== '' ? seal(text, `option:${key}`) : text;
  const before = await store(context, key, { value, seen: body.version, isSame: (stands) => stands === text });
  await audit(actor, 'option.update', `option:${key}`, secret ? { before: shown(before), after: shown(text) } : { before, after: text });
  await applied(context, key);
}

/** Puts the model ratios back to those that we ship. */
export async function resetModelRatio(context: Context, actor: Caller): Promise<void> {
  const before = context.options.stored.get('ModelRatio');
  await OptionModel.deleteOne({ _id: 'ModelRatio' });
  await audit(actor, 'option.reset', 'option:ModelRatio', { before, after: optionRegistry.ModelRatio.defaultText });
  await applied(context, 'ModelRatio');
}

/** Writes the value on what stands there; returns the text that did. Throws a conflict when it is not the one that the editor had loaded. */
async function store(
  { options }: Context,
  key: OptionKey,
  { value, seen, isSame }: { value: string; seen: number | undefined; isSame(text: string): boolean },
): Promise<string> {
  for (;;) {
    const row = await OptionModel.findById(key).select('version').lean();
    await options.read();
    const before = textOf(options.stored, key);
    const stands = row?.version ?? 0;
    if (seen !== undefined && seen !== stands && !isSame(before)) {
      const secret = optionRegistry[key].access === 'secret';
      throw new Conflict({ key, value: secret ? '' : before, version: stands } satisfies OptionView);
    }
    const fields = { value, updatedAt: new Date(), version: await nextId('option_versions') };
    const written = row
      ? await OptionModel.updateOne({ _id: key, version: row.version ?? null }, { $set: fields })
      : await OptionModel.create({ _id: key, ...fields }).then(() => ({ matchedCount: 1 }), whenTaken);
    if (written.matchedCount === 1) return before;
  }
}

/** Somebody else set it first: look again. */
function whenTaken(error: unknown): { matchedCount: number } {
  if (isDuplicate(error)) return { matchedCount: 0 };
  throw error;
}

async function applied(context: Context, key: OptionKey): Promise<void> {
  await context.options.read();
  await context.announce('option', key);
}

function checkedText(key: OptionKey, text: string, language: 'en' | 'zh'): string {
  const parsed = (optionRegistry[key].schema as z.ZodType<unknown, string>).safeParse(text);
  if (!parsed.success) throw new AppError('invalid_option', { key, reason: reasonOf(parsed.error, language) });
  return typeof parsed.data === 'string' ? parsed.data : text.trim();
}

function refuseUnprepared(key: OptionKey, { options }: Context): void {
  for (const needed of optionAbout(key).needs ?? []) {
    const value: unknown = options.values[needed as OptionKey];
    if (value === '' || (Array.isArray(value) && value.length === 0)) throw new AppError('option_needs', { key, needed });
  }
}

function textOf(stored: ReadonlyMap<OptionKey, string>, key: OptionKey): string {
  return stored.get(key) ?? optionRegistry[key].defaultText;
}

function shown(secret: string): string {
  return secret === '' ? '' : '(set)';
}
