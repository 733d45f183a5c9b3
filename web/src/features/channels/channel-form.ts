import { type CreateChannelRequest, createChannelFields } from '@tollgate/contracts/api/channel-bodies';
import type { ChannelView } from '@tollgate/contracts/api/channel-views';
import { channelTypeInfo } from '@tollgate/contracts/channel-types';
import i18next from 'i18next';
import type { UseFormReturn } from 'react-hook-form';
import { z } from 'zod';
import { limitsIn } from '../../shared/form/limits-in.ts';
import { namesIn } from '../../shared/format.ts';
import { hasKeyParts, needsOf, relatedModels } from './channel-type.ts';

/**
 * The editor's schema: the contract's, with what the chosen type needs besides. An edited channel may leave its key blank. `groups`
 * are those there are, once they are known; the groups that the channel is in already may be gone.
 */
export function channelForm(stored: ChannelView | undefined, groups: string[] | undefined) {
  const body = stored ? createChannelFields.extend({ key: z.string().max(100_000) }) : createChannelFields;
  return body.superRefine((channel, context) => {
    const t = i18next.getFixedT(null, 'channels');
    const needs = needsOf(channel.type);
    const complain = (field: string, message: string): void => context.addIssue({ code: 'custom', path: [field], message });
    if (needs.base_url?.required && !channel.base_url) complain('base_url', t('issues.baseUrl'));
    if (needs.other?.required && channel.other.trim() === '') complain('other', t('issues.other'));
    if (channel.key.trim() !== '' && !hasKeyParts(channel.key, channel.type)) complain('key', t('issues.key'));
    const unknown = namesIn(channel.group).filter((name) => !groups?.includes(name) && !namesIn(stored?.group).includes(name));
    if (groups && unknown.length > 0) complain('group', t('issues.group', { names: unknown.join(', ') }));
  });
}
export type ChannelFormValues = z.input<typeof createChannelFields>;
export type ChannelForm = UseFormReturn<ChannelFormValues, unknown, CreateChannelRequest>;

const firstType = 1;

/** What the editor starts with: the channel without its key, which never comes back, or a new one with its type's models. */
export function initialValues(channel: ChannelView | undefined): ChannelFormValues {
  const type = channel?.type ?? firstType;
  return {
    name: channel?.name ?? '',
    type,
    key: '',
    mode: 'multi_to_single',
    multi_key_mode: channel?.channel_info.multi_key_mode ?? 'random',
    base_url: channel?.base_url ?? '',
    other: channel?.other ?? needsOf(type).other?.default ?? '',
    openai_organization: channel?.openai_organization ?? '',
    models: channel?.models ?? relatedModels(type).join(','),
    group: channel?.group ?? 'default',
    model_mapping: channel?.model_mapping ?? '',
    status_code_mapping: channel?.status_code_mapping ?? '',
    test_model: channel?.test_model ?? '',
    auto_ban: channel?.auto_ban === 0 ? 0 : 1,
    priority: channel?.priority ?? 0,
    weight: channel?.weight ?? 0,
    tag: channel?.tag ?? '',
    setting: channel?.setting ?? '',
    max_input_tokens: channel?.max_input_tokens ?? 0,
    expired_time: channel?.expired_time ?? -1,
    ...limitsIn(channel),
  };
}

/** Whether a text holds more than one key: by lines, or as a JSON array where keys are documents. */
export function hasSeveralKeys(text: string, type: number): boolean {
  const trimmed = text.trim();
  return needsOf(type).key?.format === 'json' ? trimmed.startsWith('[') : trimmed.includes('\n');
}

/** What people call the fields. */
export const fieldLabels = {
  name: 'fields.name',
  type: 'columns.type',
  key: 'fields.key',
  mode: 'keys.mode',
  multi_key_mode: 'keys.strategy',
  base_url: 'fields.baseUrl',
  other: 'fields.other',
  openai_organization: 'fields.organization',
  models: 'fields.models',
  group: 'fields.groups',
  model_mapping: 'fields.modelMapping',
  status_code_mapping: 'fields.statusMapping',
  test_model: 'fields.testModel',
  auto_ban: 'fields.autoBan',
  priority: 'columns.priority',
  weight: 'columns.weight',
  tag: 'columns.tag',
  setting: 'fields.setting',
  max_input_tokens: 'fields.maxInput',
  expired_time: 'fields.expires',
} as const;

/** Examples that "Fill template" inserts. */
export const templates = {
  model_mapping: JSON.stringify({ 'gpt-3.5-turbo': 'gpt-3.5-turbo-0125' }, null, 2),
  status_code_mapping: JSON.stringify({ '400': '500' }, null, 2),
  setting: JSON.stringify({ force_format: true }, null, 2),
  region: JSON.stringify({ default: 'us-central1', 'claude-3-5-sonnet-20240620': 'europe-west1' }, null, 2),
};

/** Whether the list of models is still the one that the type brought along, so that another type may bring its own. */
export function hasModelsOf(type: number, models: string): boolean {
  return models === '' || models === relatedModels(type).join(',');
}

export function keyHint(type: number, language: string): string {
  const info = channelTypeInfo(type);
  return (language.startsWith('zh') ? info?.keyHintZh : info?.keyHint) ?? '';
}
