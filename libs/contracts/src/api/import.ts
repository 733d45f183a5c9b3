import { z } from 'zod';
import { route } from './route.ts';

export const importLogChoices = ['none', 'months', 'all'] as const;

const importName = z.string().regex(/^[\w.-]{1,40}$/, 'must be 1 to 40 letters, digits, dots, hyphens and underscores');

export const importBody = z.object({
  /** The path of a SQLite file where the console runs, `upload:<id>`, or the address of a database: mysql://… or postgres://… */
  from: z
    .string()
    .regex(/^\P{Cc}*$/u, 'may hold no invisible control characters')
    .trim()
    .min(1)
    .max(1000),
  /** What the source is known as; left out: the product. */
  name: importName.optional(),
  /** The passphrase of an export of Tollgate, or LiteLLM's salt key (or master key, where it has none). */
  secret: z.string().max(1000).default(''),
  /** US dollars for each account of LiteLLM that has no limit there. */
  grant: z.number().min(0).max(1_000_000).default(0),
  logs: z.enum(importLogChoices).default('none'),
  /** Else it is only reported what would be made. */
  apply: z.boolean().default(false),
});
export type ImportBody = z.infer<typeof importBody>;

/** The most bytes of a file that is uploaded; larger ones are named by their path on the server. */
export const mostUploadBytes = 2 ** 30;
export const shortestPassphrase = 12;

export const exportBody = z.object({
  /** What keys and other secrets in the file are encrypted with. */
  passphrase: z.string().min(shortestPassphrase).max(1000),
  /** The usage log, too. */
  logs: z.boolean().default(false),
});

export const importUndoBody = z.object({ name: importName, apply: z.boolean().default(false) });

/** The last import, or undo, that was begun in the console. Times are unix seconds. */
export const importView = z.object({
  state: z.enum(['none', 'waiting', 'running', 'done', 'failed']),
  action: z.enum(['import', 'undo']),
  apply: z.boolean(),
  /** Without its password. */
  from: z.string(),
  started_time: z.number(),
  ended_time: z.number(),
  /** Rows that were made so far, by kind. */
  made: z.record(z.string(), z.number()),
  /** The report as text, once it is done. */
  report: z.string(),
  /** Why it failed. */
  error: z.string(),
  /** What was imported, by name. */
  imports: z.array(z.object({ name: z.string(), product: z.string(), started_time: z.number() })),
});
export type ImportView = z.infer<typeof importView>;

export const importRoutes = {
  'GET /api/import': route({
    summary: 'The last import from another gateway: how far it is, and its report',
    access: 'root',
    answer: importView,
  }),
  'POST /api/import': route({
    summary: 'Imports the database of another gateway by a job, or reports what an import would do; refused while one runs',
    access: 'root',
    body: importBody,
    example: { body: { from: '/srv/new-api/one-api.db', logs: 'months', apply: false } },
  }),
  'POST /api/import/file': route({
    summary: 'Takes the bytes of a SQLite file or an export for an import; it replaces the file before it',
    access: 'root',
    answer: z.object({ from: z.string() }),
    needs: 'the bytes of a file as application/octet-stream',
    unaudited: 'nothing is imported yet',
    example: {},
  }),
  'POST /api/export': route({
    summary: 'Everything in one file for another Tollgate: a SQLite database whose secrets are encrypted with the passphrase',
    access: 'root',
    body: exportBody,
    raw: 'application/vnd.sqlite3',
    example: { body: { passphrase: 'a passphrase of your own', logs: false } },
  }),
  'POST /api/import/undo': route({
    summary: 'Takes an import back by a job, until the first call, or reports what it would take back',
    access: 'root',
    body: importUndoBody,
    needs: 'an import',
    example: { body: { name: 'new-api', apply: false } },
  }),
};
