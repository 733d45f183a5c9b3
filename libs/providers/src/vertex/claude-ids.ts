/** The ids of models whose name does not say it: a date becomes a version behind `@`. */
const ids = new Map([['claude-3-5-sonnet-20241022', 'claude-3-5-sonnet-v2@20241022']]);

/** Source: https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude */
export function vertexClaudeId(model: string): string {
  return ids.get(model) ?? model.replace(/-(\d{8})$/, '@$1');
}
