import { budgetModes, budgetUnits, budgetWindows } from '@tollgate/contracts';
import { Budget } from '@tollgate/db';
import { z } from 'zod';
import { markDone, type Place, placesOf } from './places.ts';
import { refOf, type SourceBudget, sourceBudget } from './rows.ts';
import { insertRows, noteChange, noteLeftOut, type Run, readable } from './run.ts';
import { pagesOf } from './source.ts';

const ownBudget = z.object({
  name: z.string().min(1).max(60),
  unit: z.enum(budgetUnits),
  amount: z.int().min(0),
  window: z.enum(budgetWindows),
  timeZone: z.string().default('UTC'),
  models: z.array(z.string()).max(100).default([]),
  mode: z.enum(budgetModes),
  byAdmin: z.boolean().default(true),
  createdAt: z.date().optional(),
  /** Used at the source in the current window, in units of the budget. */
  used: z.number().default(0),
});

/** Takes over budgets of tokens, users and groups. They count from now on. */
export async function importBudgets(run: Run): Promise<void> {
  for await (const page of pagesOf(run.source, 'budgets')) {
    const rows = readable(run, 'budget', { rows: page, schema: sourceBudget }).flatMap((row) => mapped(run, row));
    const places = await placesOf(
      run,
      'budget',
      rows.map(({ row }) => ({ key: refOf(row) })),
    );
    const open = rows.map((each) => ({ ...each, place: places.get(refOf(each.row)) as Place })).filter(({ place }) => !place.isDone);
    run.report.made.budget += open.length;
    run.report.unchanged.budget += rows.length - open.length;
    for (const { row, used, document } of open)
      if (used > 0)
        noteChange(run, 'budget', {
          which: refOf(row),
          text: `${used} of its ${document.amount} are used at the source: it counts from 0 here`,
        });
    if (!run.apply || open.length === 0) continue;
    await insertRows(
      open.map(({ document, place }) => ({ ...document, id: place.id, createdAt: document.createdAt ?? run.startedAt })),
      {
        insert: (documents) => Budget.insertMany(documents, { ordered: false }),
        count: (ids) => Budget.countDocuments({ id: { $in: ids } }),
      },
    );
    await markDone(
      run,
      open.map(({ place }) => place),
    );
  }
}

function mapped(run: Run, row: SourceBudget) {
  const leftOut = (text: string) => {
    noteLeftOut(run, 'budget', { which: refOf(row), text });
    return [];
  };
  const parsed = ownBudget.safeParse(row.own);
  if (!parsed.success) return leftOut(`cannot be read: ${parsed.error.issues[0]?.path.join('.')} ${parsed.error.issues[0]?.message}`);
  const subject = subjectOf(run, row);
  if (subject === undefined) return leftOut(`its ${row.subject} ${row.subject_id} is deleted or left out`);
  const { used, ...fields } = parsed.data;
  return [{ row, used, document: { ...fields, ...subject } }];
}

/** Whom the budget applies to here. */
function subjectOf(run: Run, { subject, subject_id }: SourceBudget) {
  if (subject === 'group') return { subject, subjectId: subject_id, userId: 0 };
  const given = Number(subject_id);
  const owned = { id: run.userIds.get(given), userId: run.userIds.get(given) };
  const { id, userId } = (subject === 'token' ? run.tokens.get(given) : owned) ?? {};
  return id === undefined || userId === undefined ? undefined : { subject, subjectId: String(id), userId };
}
