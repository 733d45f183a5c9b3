import {
  isOptionKey,
  type OptionKey,
  type OptionView,
  optionAliases,
  optionKeys,
  optionRegistry,
  type UpdateOptionBody,
} from '@tollgate/contracts';
import { OptionModel, seal } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { z } from 'zod';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { reasonOf } from '../../http/error-handler.ts';

/** What has to be set before a switch may be turned on. */
const needs: Partial<Record<OptionKey, OptionKey[]>> = {
  GitHubOAuthEnabled: ['GitHubClientId', 'GitHubClientSecret'],
  LinuxDOOAuthEnabled: ['LinuxDOClientId', 'LinuxDOClientSecret'],
  WeChatAuthEnabled: ['WeChatServerAddress', 'WeChatServerToken'],
  TelegramOAuthEnabled: ['TelegramBotToken', 'TelegramBotName'],
  TurnstileCheckEnabled: ['TurnstileSiteKey', 'TurnstileSecretKey'],
  EmailDomainRestrictionEnabled: ['EmailDomainWhitelist'],
  EmailVerificationEnabled: ['SMTPServer', 'SMTPAccount'],
};

/** Every option with its text, but for the secret ones: these are never answered. */
export function listOptions({ options }: Context): OptionView[] {
  return optionKeys.filter((key) => optionRegistry[key].access !== 'secret').map((key) => ({ key, value: textOf(options.stored, key) }));
}

/** Checks the value whole, stores it, and tells everyone who keeps options in memory. Nothing is stored of a value that is not valid. */
export async function updateOption(context: Context, body: UpdateOptionBody, actor: Caller, language: 'en' | 'zh'): Promise<void> {
  const key = optionAliases[body.key] ?? body.key;
  if (!isOptionKey(key)) throw new AppError('unknown_option', { key: body.key });
  const text = checkedText(key, body.value, language);
  if (text === 'true') refuseUnprepared(key, context);
  const secret = optionRegistry[key].access === 'secret';
  const before = textOf(context.options.stored, key);
  const value = secret && text !== '' ? seal(text, `option:${key}`) : text;
  await OptionModel.updateOne({ _id: key }, { $set: { value, updatedAt: new Date() } }, { upsert: true });
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

async function applied(context: Context, key: OptionKey): Promise<void> {
  await context.options.reload();
  await context.announce('option', key);
}

function checkedText(key: OptionKey, text: string, language: 'en' | 'zh'): string {
  const parsed = (optionRegistry[key].schema as z.ZodType<unknown, string>).safeParse(text);
  if (!parsed.success) throw new AppError('invalid_option', { key, reason: reasonOf(parsed.error, language) });
  return typeof parsed.data === 'string' ? parsed.data : text.trim();
}

function refuseUnprepared(key: OptionKey, { options }: Context): void {
  for (const needed of needs[key] ?? []) {
    const value: unknown = options.values[needed];
    if (value === '' || (Array.isArray(value) && value.length === 0)) throw new AppError('option_needs', { key, needed });
  }
}

function textOf(stored: ReadonlyMap<string, string>, key: OptionKey): string {
  return stored.get(key) ?? optionRegistry[key].defaultText;
}

function shown(secret: string): string {
  return secret === '' ? '' : '(set)';
}
