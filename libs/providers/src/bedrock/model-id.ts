/** The ids that Bedrock gives to Anthropic's models; a name that is not here is taken for an id, or an ARN. */
const ids = new Map([
  ['claude-instant-1.2', 'anthropic.claude-instant-v1'],
  ['claude-2.0', 'anthropic.claude-v2'],
  ['claude-2.1', 'anthropic.claude-v2:1'],
  ['claude-3-sonnet-20240229', 'anthropic.claude-3-sonnet-20240229-v1:0'],
  ['claude-3-opus-20240229', 'anthropic.claude-3-opus-20240229-v1:0'],
  ['claude-3-haiku-20240307', 'anthropic.claude-3-haiku-20240307-v1:0'],
  ['claude-3-5-sonnet-20240620', 'anthropic.claude-3-5-sonnet-20240620-v1:0'],
  ['claude-3-5-sonnet-20241022', 'anthropic.claude-3-5-sonnet-20241022-v2:0'],
  ['claude-3-5-haiku-20241022', 'anthropic.claude-3-5-haiku-20241022-v1:0'],
  ['claude-3-7-sonnet-20250219', 'anthropic.claude-3-7-sonnet-20250219-v1:0'],
  ['claude-sonnet-4-20250514', 'anthropic.claude-sonnet-4-20250514-v1:0'],
  ['claude-opus-4-20250514', 'anthropic.claude-opus-4-20250514-v1:0'],
  ['claude-opus-4-1-20250805', 'anthropic.claude-opus-4-1-20250805-v1:0'],
  ['claude-sonnet-4-5-20250929', 'anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['claude-haiku-4-5-20251001', 'anthropic.claude-haiku-4-5-20251001-v1:0'],
  ['claude-opus-4-5-20251101', 'anthropic.claude-opus-4-5-20251101-v1:0'],
]);

/** Inference profiles over the regions of a continent, by the head of a region's name. */
const prefixes = new Map([
  ['us', 'us'],
  ['eu', 'eu'],
  ['ap', 'apac'],
]);

/** Which of those profiles a model has; one that is not here is called in its region alone. */
const profiles = new Map([
  ['anthropic.claude-3-sonnet-20240229-v1:0', ['us', 'eu', 'apac']],
  ['anthropic.claude-3-opus-20240229-v1:0', ['us']],
  ['anthropic.claude-3-haiku-20240307-v1:0', ['us', 'eu', 'apac']],
  ['anthropic.claude-3-5-sonnet-20240620-v1:0', ['us', 'eu', 'apac']],
  ['anthropic.claude-3-5-sonnet-20241022-v2:0', ['us', 'apac']],
  ['anthropic.claude-3-5-haiku-20241022-v1:0', ['us']],
  ['anthropic.claude-3-7-sonnet-20250219-v1:0', ['us', 'eu', 'apac']],
]);

/** Families that are served through profiles alone, the worldwide one among them. */
const newerFamily = /^anthropic\.claude-(?:opus|sonnet|haiku)-\d/;
const hasWorldProfile = /-4-5-|-sonnet-4-\d{8}/;

/**
 * The id under which a model is called from a region.
 * Source: https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
 */
export function bedrockModelId(model: string, region: string): string {
  const id = ids.get(model);
  if (id === undefined) return model;
  const prefix = prefixes.get(region.split('-')[0] ?? '');
  if (newerFamily.test(id)) {
    if (prefix !== undefined) return `${prefix}.${id}`;
    return hasWorldProfile.test(id) ? `global.${id}` : id;
  }
  return prefix !== undefined && profiles.get(id)?.includes(prefix) ? `${prefix}.${id}` : id;
}
