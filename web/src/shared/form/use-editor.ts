import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect, useRef, useState } from 'react';
import {
  type DefaultValues,
  type FieldValues,
  type Path,
  type PathValue,
  type Resolver,
  type UseFormReturn,
  useForm,
} from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router';
import type { z } from 'zod';
import { useSessionUser } from '../session.ts';
import { isApiError, messageOf } from '../ui/error-notice.tsx';
import { toast } from '../ui/toasts.ts';
import { changesBetween, type Draft, draftKey, readDraft, writeDraft } from './drafts.ts';

interface Answer {
  error?: unknown;
}

/** What an editor works on. `Values` are what the fields hold, `Body` what the schema makes of them, `Row` what is stored. */
interface EditorOptions<Values extends FieldValues, Body, Row> {
  /** Names the record for its draft: `token/12`, `token/new`. */
  record: string;
  title: string;
  schema: z.ZodType<Body, Values>;
  /** The stored row, read afresh; a new record has none. */
  row?: (Row & { version?: number }) | undefined;
  valuesOf: (row: Row | undefined) => Values;
  /** Fields that no draft keeps. */
  secrets?: Path<Values>[];
  /** Asked before each save; false means not to. */
  mayStart?: (body: Body, changes: Draft) => Promise<boolean>;
  /** Saves what was changed, with the version it was changed on; everything of a new record. */
  save: (changes: Partial<Body>, whole: Body, version: number | undefined) => Promise<Answer>;
  onSaved: () => void;
}

/** A field that somebody else changed while it was changed here. */
export interface Clash {
  name: string;
  mine: unknown;
  theirs: unknown;
}

export interface Editor<Values extends FieldValues, Body> {
  form: UseFormReturn<Values, unknown, Body>;
  clashes: Clash[];
  settle: (clash: Clash, keep: 'mine' | 'theirs') => void;
  isRestored: boolean;
  /** Forgets what was typed and goes back to what is stored. */
  discard: () => void;
  /** What the drawer needs to know. */
  drawer: { onSubmit: (event: React.FormEvent) => void; onDiscard: () => void; dirty: boolean; submitting: boolean; error: unknown };
}

const hidden = '••••';

/** Records whose save is under way, though their editor may be closed: opened again, they do not start with what is being saved. */
const beingSaved = new Set<string>();

/**
 * The form of one record. What is typed is kept in this tab until it is saved or thrown away, per record and person. Saving sends
 * what was changed and nothing else. Where somebody else changed the same field meanwhile, both values are shown and one is chosen.
 * A save that fails after its editor was closed says so, and its draft waits.
 */
export function useEditor<Values extends FieldValues, Body, Row>(options: EditorOptions<Values, Body, Row>): Editor<Values, Body> {
  const { record, title, schema, row, valuesOf, secrets = [], mayStart, save, onSaved } = options;
  const { t } = useTranslation('shared');
  const navigate = useNavigate();
  const location = useLocation();
  const key = draftKey(useSessionUser()?.id ?? 0, record);
  const base = useRef({ values: valuesOf(row), version: row?.version });
  const isOpen = useRef(true);
  const [error, setError] = useState<unknown>();
  const [clashes, setClashes] = useState<Clash[]>([]);
  const [isRestored, setRestored] = useState(false);
  const form = useForm<Values, unknown, Body>({
    resolver: forgivingResolver(schema, () => (row ? base.current.values : undefined)),
    defaultValues: base.current.values as DefaultValues<Values>,
    mode: 'onTouched',
  });

  const changesNow = (): Draft => changesBetween(base.current.values, form.getValues());
  const put = (name: string, value: unknown): void =>
    form.setValue(name as Path<Values>, value as PathValue<Values, Path<Values>>, { shouldDirty: true, shouldValidate: false });
  const keep = (): void => writeDraft(key, without(changesNow(), secrets));
  const keepRef = useRef(keep);
  keepRef.current = keep;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a draft is taken up once, when its editor opens
  useEffect(() => {
    isOpen.current = true;
    const draft = beingSaved.has(key) ? undefined : readDraft(key);
    if (draft) {
      const found = clashesOf(draft, base.current.values);
      for (const [name, { to }] of Object.entries(draft)) if (name in base.current.values) put(name, to ?? Number.NaN);
      setClashes(found);
      setRestored(Object.keys(changesNow()).length > 0);
    }
    const subscription = form.watch(() => keepRef.current());
    return () => {
      isOpen.current = false;
      subscription.unsubscribe();
    };
  }, []);

  /** Goes on from the row as it stands now, with what was changed here on top; returns what both sides changed. */
  const rebase = (current: Row & { version?: number }): Clash[] => {
    const mine = changesNow();
    base.current = { values: valuesOf(current), version: current.version };
    const found = clashesOf(mine, base.current.values);
    form.reset(base.current.values);
    for (const [name, { to }] of Object.entries(mine)) put(name, to);
    if (found.length > 0) return found;
    // Of a secret nobody can see what stands there now, only that it is another.
    return secrets.filter((name) => name in mine).map((name) => ({ name, mine: hidden, theirs: hidden }));
  };
  const discard = (): void => {
    form.reset(base.current.values);
    setClashes([]);
    setRestored(false);
    setError(undefined);
    writeDraft(key, {});
  };

  const onSubmit = form.handleSubmit(async (whole) => {
    if (clashes.length > 0) return toast('warning', t('editor.clash'));
    if (mayStart && !(await mayStart(whole, changesNow()))) return;
    setError(undefined);
    beingSaved.add(key);
    const { failure, found } = await attempt(whole).finally(() => beingSaved.delete(key));
    if (found.length > 0 && isOpen.current) return setClashes(found);
    if (failure === undefined && found.length === 0) {
      writeDraft(key, {});
      return onSaved();
    }
    if (isOpen.current) return setError(failure);
    const address = `${location.pathname}${location.search}`;
    const reason = found.length > 0 ? t('editor.changedMeanwhile') : messageOf(failure);
    toast('error', t('editor.notSaved', { title, reason }), { label: t('editor.openAgain'), run: () => void navigate(address) });
  });

  async function attempt(whole: Body): Promise<{ failure?: unknown; found: Clash[] }> {
    const changes = changesNow();
    if (row && Object.keys(changes).length === 0) return { found: [] };
    const names = Object.keys(changes);
    const body = Object.fromEntries(Object.entries(whole as object).filter(([name]) => names.includes(name))) as Partial<Body>;
    const { error: failure } = await save(body, whole, base.current.version);
    if (!row || !isApiError(failure) || failure.code !== 'conflict' || !failure.data) return { failure, found: [] };
    const found = rebase(failure.data as Row & { version?: number });
    // What they stored is what was typed here: the rest is sent on its own.
    return found.length > 0 ? { found } : attempt(whole);
  }

  const settle = (clash: Clash, choice: 'mine' | 'theirs'): void => {
    if (choice === 'theirs') put(clash.name, base.current.values[clash.name]);
    setClashes((all) => all.filter((each) => each.name !== clash.name));
  };
  const { isDirty, isSubmitting } = form.formState;
  return {
    form,
    clashes,
    settle,
    isRestored,
    discard,
    drawer: { onSubmit, onDiscard: () => writeDraft(key, {}), dirty: isDirty, submitting: isSubmitting, error },
  };
}

function clashesOf(changes: Draft, stored: FieldValues): Clash[] {
  return Object.entries(changes).flatMap(([name, { from, to }]) =>
    Object.is(stored[name], from) || Object.is(stored[name], to) ? [] : [{ name, mine: to, theirs: stored[name] }],
  );
}

function without(draft: Draft, names: string[]): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([name]) => !names.includes(name)));
}

/** Checks by the schema, but lets be what was stored before its rules and was not touched. */
function forgivingResolver<Values extends FieldValues, Body>(
  schema: z.ZodType<Body, Values>,
  stored: () => Values | undefined,
): Resolver<Values, unknown, Body> {
  const strict = zodResolver(schema) as unknown as Resolver<Values, unknown, Body>;
  return async (values, context, options) => {
    const checked = await strict(values, context, options);
    const before = stored();
    if (!before || Object.keys(checked.errors).length === 0) return checked;
    const touched = Object.entries(checked.errors).filter(([name]) => !Object.is(before[name], values[name]));
    if (touched.length === 0) return { values: values as unknown as Body, errors: {} };
    return { ...checked, errors: Object.fromEntries(touched) } as typeof checked;
  };
}
