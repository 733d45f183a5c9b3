import { type Route, routes } from '@tollgate/contracts';
import { z } from 'zod';
import { version } from '../status/views.ts';
import { chineseNeeds, chineseSummaries } from './chinese.ts';

type Schema = Record<string, unknown>;

/** The API as OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1), made from the contracts of the routes. */
export function apiDocument(table: Record<string, Route> = routes): Schema {
  const paths: Record<string, Schema> = {};
  for (const [name, route] of Object.entries(table)) {
    const [method = '', path = ''] = name.split(' ');
    const key = path.replace(/:(\w+)/g, '{$1}');
    paths[key] = { ...paths[key], [method.toLowerCase()]: operation(name, route) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tollgate console',
      version,
      summary: 'The API of administrators and users',
      description:
        'Answers are wrapped in `success`, `message` and `data`. A refusal is HTTP 200 with `success: false`, its words in `message` and its name ' +
        'in `code`; 401 means "sign in". Both forms of a trailing slash are answered. Fields that nobody knows are ignored.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'session' },
        accessToken: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'The system access token of a user' },
        userId: { type: 'apiKey', in: 'header', name: 'New-Api-User', description: 'The id of the same user' },
      },
      responses: {
        refused: {
          description: 'It was refused, or something is away',
          content: json({ $ref: '#/components/schemas/Failure' }),
        },
      },
      schemas: {
        Failure: {
          type: 'object',
          properties: {
            success: { const: false },
            message: { type: 'string' },
            code: { type: 'string' },
            data: { description: 'With `conflict`: the row as it stands now' },
          },
          required: ['success', 'message', 'code'],
        },
      },
    },
  };
}

function operation(name: string, route: Route): Schema {
  const parameters = [...pathParameters(name, route), ...queryParameters(route)];
  return {
    operationId: operationId(name),
    summary: route.summary,
    'x-summary-zh': (chineseSummaries as Record<string, string>)[name],
    ...(route.needs !== undefined && {
      description: `The example needs ${route.needs}.`,
      'x-description-zh': `示例需要：${chineseNeeds[route.needs]}。`,
    }),
    tags: [tagOf(name)],
    'x-access': route.access,
    security: security(route),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: { required: true, content: json(schemaOf(route.body, 'input'), route.example?.body) } }),
    responses: { 200: { description: 'Done, or refused', content: answerOf(route) }, '4XX': refused, '5XX': refused },
  };
}

const refused = { $ref: '#/components/responses/refused' };

function answerOf(route: Route): Schema {
  if (route.raw !== undefined) return Object.fromEntries([route.raw].flat().map((type) => [type, {}]));
  const data = route.answer && schemaOf(route.answer, 'output');
  const beside = route.beside && schemaOf(route.beside, 'output');
  const fields = { ...(data && { data }), ...(beside?.properties as Schema | undefined) };
  const done = {
    type: 'object',
    properties: {
      success: { const: true },
      message: { type: 'string' },
      ...fields,
      ...(route.undoable && { undo: { type: 'string', description: 'What `POST /api/undo` takes, for some minutes' } }),
    },
    required: ['success', 'message', ...Object.keys(fields)],
  };
  return json({ oneOf: [done, { $ref: '#/components/schemas/Failure' }] });
}

/** Any of these opens the route. */
function security({ access }: Route): Schema[] {
  if (access === 'anyone') return [];
  if (access === 'visitor') return [{}, { session: [] }];
  if (access === 'session') return [{ session: [] }];
  return [
    { session: [], userId: [] },
    { accessToken: [], userId: [] },
  ];
}

function pathParameters(name: string, { params, example }: Route): Schema[] {
  const properties = propertiesOf(params);
  return [...name.matchAll(/:(\w+)/g)].map(([, part = '']) => ({
    name: part,
    in: 'path',
    required: true,
    schema: properties[part] ?? { type: 'integer', minimum: 0 },
    ...shown((example?.params as Schema | undefined)?.[part]),
  }));
}

function queryParameters({ query, turnstile, example }: Route): Schema[] {
  const schemas = { ...propertiesOf(query), ...(turnstile && { turnstile: { type: 'string' } }) };
  return Object.entries(schemas).map(([name, schema]) => ({
    name,
    in: 'query',
    schema,
    ...shown((example?.query as Schema | undefined)?.[name]),
  }));
}

/** The fields of a query or of a path, where they are texts: what may be sent, else what is made of it. */
function propertiesOf(schema: z.ZodType | undefined): Record<string, Schema> {
  if (!schema) return {};
  const [sent, made] = [schemaOf(schema, 'input'), schemaOf(schema, 'output')].map(
    ({ properties }) => (properties ?? {}) as Record<string, Schema>,
  );
  return Object.fromEntries(
    Object.entries(sent ?? {}).map(([name, each]) => [name, Object.keys(each).some(isType) ? each : (made?.[name] ?? {})]),
  );
}

function isType(key: string): boolean {
  return key === 'type' || key === 'enum' || key === 'anyOf';
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, '~standard': __, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema;
  return rest;
}

function json(schema: Schema, example?: unknown): Schema {
  return { 'application/json': { schema, ...shown(example) } };
}

function shown(example: unknown): Schema {
  return example === undefined ? {} : { example };
}

/** `GET /api/token/:id` is `getTokenById`. */
function operationId(name: string): string {
  const [method = '', path = ''] = name.split(' ');
  const parts = path.replace('/api/', '').split(/[/_.-]/);
  return method.toLowerCase() + parts.map((part) => (part.startsWith(':') ? `By${capital(part.slice(1))}` : capital(part))).join('');
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function tagOf(name: string): string {
  return name.split('/')[2] ?? '';
}
