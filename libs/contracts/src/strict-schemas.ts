import rules from './data/strict-schemas.json' with { type: 'json' };

/** What schemas with `strict: true` must keep to, by provider; each with its source. */
export const strictSchemaRules = rules;
