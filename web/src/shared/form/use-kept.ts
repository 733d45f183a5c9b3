import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';
import type { FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useStore } from 'react-redux';
import { selectSession, type WithSession } from '../session.ts';
import { toast } from '../ui/toasts.ts';
import { changesBetween, type Draft, draftKey, readDraft, writeDraft } from './drafts.ts';

/**
 * What somebody typed here before the session ended or the page was loaded again, and how to keep what they type now; an empty draft is
 * forgotten. What closes while its person is still signed in was saved or thrown away. Nothing secret may be kept.
 */
function useKeeping(record: string): { draft: Draft | undefined; keep: (draft: Draft) => void } {
  const store = useStore<WithSession>();
  const { t } = useTranslation('shared');
  const [{ userId, key, draft }] = useState(() => {
    const id = selectSession(store.getState()).user?.id ?? 0;
    const own = draftKey(id, record);
    return { userId: id, key: own, draft: readDraft(own) };
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: told and forgotten once, whatever language is chosen meanwhile
  useEffect(() => {
    if (draft) toast('info', t('editor.restored'));
    return () => {
      if (selectSession(store.getState()).user?.id === userId) writeDraft(key, {});
    };
  }, []);
  return { draft, keep: (next) => writeDraft(key, next) };
}

/** `useState` for what is typed outside of editors: kept in this tab, by person and `record`, until it is as at first, saved or thrown away. */
export function usePersistedState<Value>(record: string, first: Value): [Value, Dispatch<SetStateAction<Value>>] {
  const { draft, keep } = useKeeping(record);
  const [value, setValue] = useState(draft?.value ? (draft.value.to as Value) : first);
  const start = useRef(first);
  // What is stored may change below it: neither what it was nor what it is now was typed.
  const isTyped = [start.current, first].every((untouched) => JSON.stringify(value) !== JSON.stringify(untouched));
  // biome-ignore lint/correctness/useExhaustiveDependencies: kept when it changes, whatever else is drawn again
  useEffect(() => keep(isTyped ? { value: { from: first, to: value } } : {}), [value, isTyped]);
  return [value, setValue];
}

/** The same for a field that holds its text itself. */
export function useKeptText(record: string): { first: string; keep: (text: string) => void } {
  const { draft, keep } = useKeeping(record);
  const [first] = useState(String(draft?.text?.to ?? ''));
  return { first, keep: (text) => keep(text === '' ? {} : { text: { from: '', to: text } }) };
}

/** The same for a form of several fields. */
export function useKeptForm<Values extends FieldValues, Body>(record: string, form: UseFormReturn<Values, unknown, Body>): void {
  const { draft, keep } = useKeeping(record);
  const first = useRef(form.getValues());
  // biome-ignore lint/correctness/useExhaustiveDependencies: a draft is taken up once, when its form opens
  useEffect(() => {
    const keepNow = (): void => keep(changesBetween(first.current, form.getValues()));
    for (const [name, { to }] of Object.entries(draft ?? {}))
      form.setValue(name as Path<Values>, (to ?? Number.NaN) as PathValue<Values, Path<Values>>, { shouldDirty: true });
    keepNow();
    const subscription = form.watch(keepNow);
    return () => subscription.unsubscribe();
  }, []);
}
