import { zodResolver } from '@hookform/resolvers/zod';
import i18next from 'i18next';
import { type DefaultValues, type FieldValues, type UseFormReturn, useForm } from 'react-hook-form';
import { z } from 'zod';

/** Texts that the contracts' own rules say, in the words of the page's language. */
const knownTexts = {
  'a channel needs a key': 'channelKey',
  'a channel needs at least one model': 'channelModels',
  'must be a JSON object': 'jsonObject',
  'Model mapping must be valid JSON': 'modelMapJson',
  'must map HTTP statuses from 300 to 599 to others': 'statusMap',
  'must map model names to model names': 'modelMap',
  'may hold neither blanks nor @': 'username',
  'may hold no invisible control characters': 'hiddenCharacters',
  'must be plain text on one line': 'hiddenCharacters',
  'Token name is too long: at most 30 characters': 'maxLength',
} as const;

// `jitless`: without it zod probes `new Function`, which the page's content security policy refuses and reports.
z.config({
  jitless: true,
  customError: (issue) => {
    const t = i18next.getFixedT(null, 'shared');
    if (issue.code === 'invalid_type')
      return issue.expected === 'number' || issue.expected === 'int' ? t('form.number') : t('form.required');
    if (issue.code === 'too_small')
      return issue.origin === 'string' ? tooShort(Number(issue.minimum)) : t('form.min', { min: String(issue.minimum) });
    if (issue.code === 'too_big')
      return issue.origin === 'string'
        ? t('form.maxLength', { max: String(issue.maximum) })
        : t('form.max', { max: String(issue.maximum) });
    return undefined;
  },
});

function tooShort(minimum: number): string {
  const t = i18next.getFixedT(null, 'shared');
  return minimum <= 1 ? t('form.required') : t('form.minLength', { min: String(minimum) });
}

/** What stands under a field that is wrong. */
export function fieldErrorText(message: string | undefined): string | undefined {
  if (message === undefined) return undefined;
  const t = i18next.getFixedT(null, 'shared');
  const known = knownTexts[message as keyof typeof knownTexts];
  if (known) return t(`form.${known}`, { max: /\d+/.exec(message)?.[0] });
  return message || t('form.invalid');
}

/**
 * A form whose values are those of a contract's schema: checked on leaving a field and on submit, the first wrong one focused.
 * `Values` are what the fields hold, `Body` what the schema makes of them.
 */
export function useZodForm<Values extends FieldValues, Body>(
  schema: z.ZodType<Body, Values>,
  defaultValues: DefaultValues<Values>,
): UseFormReturn<Values, unknown, Body> {
  return useForm<Values, unknown, Body>({ resolver: zodResolver(schema), defaultValues, mode: 'onTouched' });
}
