import type { OptionEffects, OptionFailure } from '@tollgate/contracts/api/option';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePersistedState } from '../../shared/form/use-kept.ts';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { isApiError, messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { type Setting, useUpdateOptionsMutation } from './api.ts';
import { type Fault, faultIn, isSame } from './setting-text.ts';

/** One setting that was changed and not saved; `value` null puts it back to its default. */
export interface Change {
  setting: Setting;
  value: string | null;
}

/** What was typed into one field, and the version of the setting that it was typed over. */
interface Typed {
  value: string | null;
  version: number;
}
type TypedByKey = Readonly<Record<string, Typed>>;

export interface Drafts {
  /** What a field shows: what was typed, else what is stored. */
  textOf(setting: Setting): string;
  isChanged(setting: Setting): boolean;
  faultOf(setting: Setting): string | undefined;
  change(setting: Setting, value: string | null): void;
  undo(setting: Setting): void;
  /** Looks at a field that was left. */
  check(setting: Setting): void;
  discard(): void;
  /** What `save` saves and `discard` discards: the changes among the settings in sight. */
  changes: Change[];
  /** All changes, those of other tabs included. */
  unsaved: Change[];
  save(): Promise<void>;
  saving: boolean;
}

/**
 * What was typed and not saved. It survives a failed save and, secrets apart, the end of the session. Saving and discarding reach only
 * the settings in `shown`: a draft of another tab is neither sent nor able to block a save here.
 */
export function useDrafts(settings: readonly Setting[], shown: readonly Setting[]): Drafts {
  const { t } = useTranslation('settings');
  const confirm = useConfirm();
  const [plain, setPlain] = usePersistedState<TypedByKey>('settings', {});
  const [secret, setSecret] = useState<TypedByKey>({});
  const typed = useMemo((): TypedByKey => ({ ...plain, ...secret }), [plain, secret]);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [update, { isLoading: saving }] = useUpdateOptionsMutation();

  const unsaved = useMemo(() => settings.flatMap((setting) => changeOf(setting, typed[setting.key]?.value)), [settings, typed]);
  const changed = useMemo(() => new Set(unsaved.map(({ setting }) => setting.key)), [unsaved]);
  const changes = unsaved.filter(({ setting }) => shown.some(({ key }) => key === setting.key));
  const textOf = (setting: Setting): string => {
    const value = typed[setting.key]?.value;
    if (value === undefined) return setting.value;
    return value ?? setting.default;
  };
  const wordsOf = useCallback(
    (fault: Fault): string => {
      const { says, ...values } = fault;
      return t(says, values);
    },
    [t],
  );
  const forget = (keys: readonly string[]): void => {
    setPlain((now) => without(keys, now));
    setSecret((now) => without(keys, now));
    setFaults((now) => without(keys, now));
  };
  const addFaults = (found: (readonly [key: string, text: string])[]): void =>
    setFaults((now) => ({ ...now, ...Object.fromEntries(found) }));
  const mayLockOut = changes.some(({ setting, value }) => setting.key === 'PasswordLoginEnabled' && (value ?? setting.default) === 'false');
  const check = (setting: Setting): void => {
    const value = typed[setting.key]?.value;
    const fault = typeof value === 'string' ? faultIn(setting, value) : undefined;
    if (fault) setFaults((now) => ({ ...now, [setting.key]: wordsOf(fault) }));
  };

  async function save(isConfirmed = false): Promise<void> {
    if (changes.length === 0) return toast('warning', t('nothingChanged'));
    const found = changes.flatMap(({ setting, value }) => {
      const fault = value === null ? undefined : faultIn(setting, value);
      return fault ? [[setting.key, wordsOf(fault)] as const] : [];
    });
    if (found.length > 0) {
      addFaults(found);
      return toast('error', found.some(([, words]) => words === t('wrong.json')) ? t('wrong.json') : t('saveFailed'));
    }
    const warning = { title: t('passwordLogin.title'), text: t('passwordLogin.text'), action: t('passwordLogin.action'), dangerous: true };
    if (mayLockOut && !isConfirmed && !(await confirm(warning))) return;
    const options = changes.map(({ setting: { key, version }, value }) => ({ key, value, version: typed[key]?.version ?? version }));
    const [only] = changes.length === 1 ? changes : [];
    try {
      await update({ options, confirm: isConfirmed }).unwrap();
      forget(options.map(({ key }) => key));
      toast('success', only ? t(`saved.${onlyNamed(only)}`) : t('saved.all'));
    } catch (error) {
      const effects = effectsIn(error);
      if (effects.length > 0) {
        const question = { title: t('effects.title'), text: effects.join('\n'), action: t('effects.save'), dangerous: true };
        return (await confirm(question)) ? save(true) : undefined;
      }
      const failures = failuresIn(error);
      const stored = new Map(failures.flatMap((failure) => (failure.stored ? [[failure.key, failure.stored.version] as const] : [])));
      // Who has been told what stands there now, and saves again, means to.
      setPlain((now) => basedOn(stored, now));
      setSecret((now) => basedOn(stored, now));
      const kept = new Set(failures.map(({ key }) => key));
      if (isApiError(error) && error.code === 'options_partly_saved') forget(options.map(({ key }) => key).filter((key) => !kept.has(key)));
      addFaults(failures.map((failure) => [failure.key, failureText(failure, t('storedNow'), t('onLine'))]));
      const failed = t(`failed.${only ? onlyNamed(only) : 'all'}`);
      if (failures.length > 0) toast('error', failureToast(error, failures, failed, t('someFailed')));
      else toast('error', only && onlyNamed(only) !== 'all' ? t('failedWhy', { failed, reason: messageOf(error) }) : messageOf(error));
    }
  }

  return {
    textOf,
    isChanged: ({ key }) => changed.has(key),
    faultOf: ({ key }) => faults[key],
    change(setting, value) {
      const setTyped = setting.access === 'secret' ? setSecret : setPlain;
      setTyped((now) => ({ ...now, [setting.key]: { value, version: now[setting.key]?.version ?? setting.version } }));
      setFaults((now) => without([setting.key], now));
    },
    undo: ({ key }) => forget([key]),
    check,
    discard: () => forget(shown.map(({ key }) => key)),
    changes,
    unsaved,
    save: () => save(),
    saving,
  };
}

function without<Value>(keys: readonly string[], from: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(from).filter(([key]) => !keys.includes(key)));
}

function basedOn(versions: ReadonlyMap<string, number>, typed: TypedByKey): TypedByKey {
  return Object.fromEntries(Object.entries(typed).map(([key, each]) => [key, { ...each, version: versions.get(key) ?? each.version }]));
}

function changeOf(setting: Setting, value: string | null | undefined): Change[] {
  if (value === undefined) return [];
  if (setting.access === 'secret') return value === '' || (value === null && !setting.isSet) ? [] : [{ setting, value }];
  return isSame(setting, value ?? setting.default, setting.value) && !(value === null && setting.isSet) ? [] : [{ setting, value }];
}

const named = ['Notice', 'SystemName', 'Logo', 'HomePageContent', 'About', 'Footer'] as const;

/** The settings that have words of their own when they alone were saved. */
function onlyNamed({ setting: { key } }: Change): (typeof named)[number] | 'all' {
  return named.find((name) => name === key) ?? 'all';
}

/** What saving would take from people, which the server wants confirmed. */
function effectsIn(error: unknown): string[] {
  if (!isApiError(error) || error.code !== 'confirmation_needed') return [];
  return (error.data as Partial<OptionEffects> | undefined)?.effects ?? [];
}

function failuresIn(error: unknown): OptionFailure[] {
  if (!isApiError(error)) return [];
  return (error.data as { failures?: OptionFailure[] } | undefined)?.failures ?? [];
}

function failureText({ message, line, stored }: OptionFailure, storedNow: string, onLine: string): string {
  if (stored) return `${message} ${storedNow.replace('{value}', stored.value)}`;
  return line === undefined ? message : `${onLine.replace('{line}', String(line))}${message}`;
}

function failureToast(error: unknown, failures: OptionFailure[], failed: string, someFailed: string): string {
  const [first] = failures;
  if (isApiError(error) && error.code === 'options_partly_saved') return someFailed;
  return failures.length === 1 && first?.code === 'server_address_first' ? first.message : failed;
}
