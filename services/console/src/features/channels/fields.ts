import { type CreateChannelBody, channelTypeInfo } from '@tollgate/contracts';
import type { ChannelDoc } from '@tollgate/db';
import type { Egress } from '@tollgate/runtime';
import { AppError } from '@tollgate/runtime';

type Editable = Partial<Omit<CreateChannelBody, 'key'>>;

/** The stored fields that a body names; what it leaves out is left out here. */
export function channelFields(body: Editable): Partial<ChannelDoc> {
  const fields: Partial<ChannelDoc> = {
    name: body.name,
    type: body.type,
    other: body.other,
    priority: body.priority,
    weight: body.weight,
    baseUrl: textOf(body.base_url),
    organization: textOf(body.openai_organization),
    modelMapping: textOf(body.model_mapping),
    statusCodeMapping: textOf(body.status_code_mapping),
    testModel: textOf(body.test_model),
    tag: textOf(body.tag),
    setting: textOf(body.setting),
    autoBan: body.auto_ban === undefined ? undefined : body.auto_ban === 1,
    models: body.models?.split(','),
    groups: body.group?.split(','),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Refuses, while its editor still looks at it, what no call could ever use. */
export function refuseUnusable(channel: { type: number; baseUrl: string; other: string }, egress: Egress): void {
  if (channel.baseUrl !== '') egress.check(channel.baseUrl.replaceAll('{model}', 'model'));
  if (channelTypeInfo(channel.type)?.needs.other?.format === 'regions') refuseRegion(channel.other);
}

/** A region, or a JSON object of regions by model with one for all others. */
function refuseRegion(other: string): void {
  if (other.trim() === '') throw new AppError('invalid_parameter', { reason: 'this channel type needs a region in `other`' });
  if (!other.trim().startsWith('{')) return;
  const regions: unknown = parsed(other);
  if (typeof regions !== 'object' || regions === null || !('default' in regions)) {
    throw new AppError('invalid_parameter', { reason: 'the regions in `other` must be a JSON object with a `default`' });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('invalid_parameter', { reason: '`other` is not valid JSON' }, { cause });
  }
}

function textOf(text: string | null | undefined): string | undefined {
  return text === null ? '' : text;
}
