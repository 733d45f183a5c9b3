import type { Access } from '@tollgate/contracts/api/route';
import { type ApiError, api } from '../../shared/api.ts';
import type { Language } from '../../shared/language.ts';
import { loadPart } from '../../shared/parts.ts';

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  schema: Record<string, unknown>;
  example?: unknown;
}

/** A text of the document in each language. */
export type Words = Record<Language, string>;

/** One call of the API, as the document tells of it. */
export interface Operation {
  method: string;
  path: string;
  tag: string;
  summary: Words;
  description: Words;
  access: Access;
  parameters: Parameter[];
  body?: { schema: unknown; example?: unknown };
  answer: unknown;
}

interface Content {
  schema?: unknown;
  example?: unknown;
}

interface DocumentOperation {
  summary: string;
  'x-summary-zh': string;
  description?: string;
  'x-description-zh'?: string;
  tags: [string];
  'x-access': Access;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Content> };
  responses: { 200: { content: Record<string, Content> } };
}

/** Every call that the server's own document (OpenAPI) tells of, in its order. */
export const { useListOperationsQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    listOperations: build.query<Operation[], void>({
      async queryFn() {
        try {
          const answer = await loadPart(() => fetch('/api/openapi.json', { signal: AbortSignal.timeout(15_000) }));
          if (!answer.ok) return { error: { kind: 'status', status: answer.status, message: '' } satisfies ApiError };
          const { paths } = (await answer.json()) as { paths: Record<string, Record<string, DocumentOperation>> };
          return { data: operationsIn(paths) };
        } catch {
          return { error: { kind: 'offline', status: 0, message: '' } satisfies ApiError };
        }
      },
    }),
  }),
});

function operationsIn(paths: Record<string, Record<string, DocumentOperation>>): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, told]) => ({
      method: method.toUpperCase(),
      path,
      tag: told.tags[0],
      summary: { en: told.summary, zh: told['x-summary-zh'] },
      description: { en: told.description ?? '', zh: told['x-description-zh'] ?? '' },
      access: told['x-access'],
      parameters: told.parameters ?? [],
      body: told.requestBody?.content['application/json'] as Operation['body'],
      answer: told.responses[200].content['application/json']?.schema,
    })),
  );
}
