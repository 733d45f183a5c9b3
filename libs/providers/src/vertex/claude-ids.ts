import { hostedNames } from '@tollgate/contracts/catalog';

/** A date becomes a version behind `@`. Source: https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude */
export function vertexClaudeId(model: string): string {
  return hostedNames.vertex[model] ?? model.replace(/-(\d{8})$/, '@$1');
}
