/** A field that somebody changed but has not saved: what stood there before, and what they typed. */
export interface Change {
  from: unknown;
  to: unknown;
}
export type Draft = Record<string, Change>;

const prefix = 'draft:';

/** The key of what one person typed into one editor; `record` is such as `token/12` or `token/new`. */
export function draftKey(userId: number, record: string): string {
  return `${prefix}${userId}:${record}`;
}

/** What was typed and not saved in this tab; undefined when nothing was. Survives a reload and signing in again. */
export function readDraft(key: string): Draft | undefined {
  try {
    const draft = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Draft | null;
    return draft ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a draft; an empty one is forgotten. Blocked or full storage only costs the draft. */
export function writeDraft(key: string, draft: Draft): void {
  try {
    if (Object.keys(draft).length === 0) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // blocked or full
  }
}

/** The fields whose values differ, by what stood there before and what stands there now. */
export function changesBetween(before: Record<string, unknown>, after: Record<string, unknown>): Draft {
  return Object.fromEntries(
    Object.keys(before).flatMap((name) => (Object.is(before[name], after[name]) ? [] : [[name, { from: before[name], to: after[name] }]])),
  );
}

/** Forgets everything that a person typed: they have left. */
export function dropDraftsOf(userId: number): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(draftKey(userId, ''))) sessionStorage.removeItem(key);
  } catch {
    // blocked: there are none
  }
}
