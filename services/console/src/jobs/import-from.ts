import { openAnnouncer } from '@tollgate/bus';
import { importBody, importUndoBody } from '@tollgate/contracts';
import { unseal } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { dropUploads, uploadedPath } from '../features/imports/files.ts';
import { type ImportState, noImport, noteImport, shownSource } from '../features/imports/state.ts';
import { openSource } from '../import/open-source.ts';
import { emptyReport, type Report, reportText, undoText } from '../import/report.ts';
import { runImport } from '../import/run-import.ts';
import { undoImport } from '../import/undo-import.ts';
import { checkedAddress } from '../mail/mailer.ts';
import { job } from './job.ts';

export const sourcePlace = 'import:from';
const noteMs = 1_000;

/** Imports from another gateway, or takes an import back. `from` is sealed: it may hold a password. */
export const importFrom = job({
  name: 'import',
  data: z.discriminatedUnion('action', [
    importBody.extend({ action: z.literal('import') }).strict(),
    importUndoBody.extend({ action: z.literal('undo') }).strict(),
  ]),
  alone: true,
  attempts: 1,
  async handle(context, data) {
    const { redis, log } = context;
    const from = data.action === 'import' ? unseal(data.from, sourcePlace) : '';
    const report = emptyReport();
    const began: ImportState = {
      ...noImport,
      ...{ state: 'running', action: data.action, apply: data.apply, from: shownSource(from), started_time: seconds() },
    };
    const timer = setInterval(() => void noteImport(redis, { ...began, made: report.made }).catch(() => undefined), noteMs);
    try {
      await noteImport(redis, began);
      const text =
        data.action === 'import'
          ? await imported(context, { ...data, from, secret: data.secret && unseal(data.secret, sourcePlace), report })
          : await undone(context, { ...data, report });
      clearInterval(timer);
      await noteImport(redis, { ...began, state: 'done', ended_time: seconds(), made: report.made, report: text });
    } catch (error) {
      clearInterval(timer);
      log.warn({ err: error }, 'an import failed');
      await noteImport(redis, { ...began, state: 'failed', ended_time: seconds(), made: report.made, error: (error as Error).message });
    }
  },
});

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

type Wanted = z.output<typeof importBody> & { report: Report };

async function imported(context: Context, { from, secret, grant, name, logs, apply, report }: Wanted): Promise<string> {
  const { wallet, passwords, egress, redis } = context;
  const source = await openSource((await uploadedPath(from)) ?? (await reachable(context, from)), { secret, grant, logs });
  try {
    const { product, name: known } = await runImport({ source, name, logs, apply, report, wallet, passwords, egress });
    if (apply) await (await openAnnouncer(redis)).close(); // to open it has every process read again what it keeps
    if (apply) await dropUploads();
    return reportText(report, { applied: apply, title: `Import from ${product}, known as ${known}` });
  } finally {
    await source.close();
  }
}

async function undone(
  { wallet, redis }: Context,
  { name, apply, report }: { name: string; apply: boolean; report: Report },
): Promise<string> {
  await undoImport({ name, apply, report, wallet });
  if (apply) await (await openAnnouncer(redis)).close();
  return undoText(report, { applied: apply, name });
}

/** Connection settings that do not change the destination. */
const harmless = new Set(['sslmode', 'ssl']);

/** The address of a database with the host that was checked in it: it is one of the operator's services. Throws: AppError. */
async function reachable({ egressByOrigin }: Context, from: string): Promise<string> {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(from)) return from;
  const url = URL.parse(from);
  const odd = [...(url?.searchParams.keys() ?? [])].find((name) => !harmless.has(name));
  if (url === null || url.hostname === '' || odd !== undefined)
    throw new AppError('invalid_parameter', { reason: 'the address of the database is not valid' });
  const address = await checkedAddress(url.hostname, egressByOrigin.services);
  url.hostname = address.includes(':') ? `[${address}]` : address;
  return url.href;
}
