import { type Language, type LogText, logTexts } from '@tollgate/contracts';

const thousands = new Intl.NumberFormat('en-US');

/** The words of a log row that is no call. Rows from before texts had codes hold their words. */
export function logContent(row: { content: string; text?: unknown }, language: Language): string {
  const text = row.text as LogText | undefined;
  if (!text || !Object.hasOwn(logTexts, text.code)) return row.content;
  return logTexts[text.code][language].replace(/\{(\w+)\}/g, (whole, name: string) => wordOf(name, text.values[name]) ?? whole);
}

function wordOf(name: string, value: string | number | undefined): string | undefined {
  return name === 'quota' ? thousands.format(Number(value)) : value?.toString();
}
