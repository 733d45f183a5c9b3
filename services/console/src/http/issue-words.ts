import type { Language } from '@tollgate/contracts';
import type { z } from 'zod';
import { chineseReason } from './reasons.ts';

type Issue = z.core.$ZodIssue;

/** What a value must be, by the schema's word for it. */
const kinds: Record<string, Record<Language, string>> = {
  string: { en: 'a text', zh: '文本' },
  number: { en: 'a number', zh: '数字' },
  int: { en: 'a whole number', zh: '整数' },
  boolean: { en: 'true or false', zh: '布尔值' },
  array: { en: 'a list', zh: '列表' },
  object: { en: 'an object', zh: '对象' },
  record: { en: 'an object', zh: '对象' },
};

/** What is wrong with a value, in words for people: what it must be, not what a parser called it. */
export function issueWords(issue: Issue, language: Language): string {
  const say = (en: string, zh: string): string => (language === 'zh' ? zh : en);
  switch (issue.code) {
    case 'invalid_type': {
      if (issue.message.endsWith('received undefined')) return say('is missing', '不能缺少');
      const kind = kinds[issue.expected];
      return say(`must be ${kind?.en ?? issue.expected}`, `必须是${kind?.zh ?? ` ${issue.expected}`}`);
    }
    case 'too_small':
      return tooSmall(issue, say);
    case 'too_big':
      return isOwn(issue) ? own(issue, language) : tooBig(issue, say);
    case 'invalid_value': {
      const values = issue.values.map(String).join(', ');
      return issue.values.length === 1
        ? say(`must be ${values}`, `必须是 ${values}`)
        : say(`must be one of ${values}`, `必须是 ${values} 之一`);
    }
    case 'invalid_format':
      if (issue.format === 'email') return say('is no e-mail address', '不是有效的邮箱地址');
      return isOwn(issue) ? own(issue, language) : say('has the wrong form', '格式不正确');
    case 'unrecognized_keys':
      return say(`has fields that nobody knows: ${issue.keys.join(', ')}`, `包含未知字段：${issue.keys.join(', ')}`);
    case 'invalid_key':
      return say('has a name that may not stand there', '名称不合法');
    case 'custom':
      return own(issue, language);
    default:
      return say('is not valid', '不合法');
  }
}

type Say = (en: string, zh: string) => string;

function tooSmall({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall, say: Say): string {
  if ((origin === 'string' || origin === 'array') && minimum === 1) return say('must not be empty', '不能为空');
  if (origin === 'string') return say(`must have at least ${minimum} characters`, `至少需要 ${minimum} 个字符`);
  if (origin === 'array') return say(`must have at least ${minimum} entries`, `至少需要 ${minimum} 项`);
  return inclusive ? say(`must be at least ${minimum}`, `不能小于 ${minimum}`) : say(`must be above ${minimum}`, `必须大于 ${minimum}`);
}

function tooBig({ origin, maximum, inclusive }: z.core.$ZodIssueTooBig, say: Say): string {
  if (origin === 'string') return say(`may have at most ${maximum} characters`, `最多 ${maximum} 个字符`);
  if (origin === 'array') return say(`may have at most ${maximum} entries`, `最多 ${maximum} 项`);
  return inclusive ? say(`must be at most ${maximum}`, `不能大于 ${maximum}`) : say(`must be below ${maximum}`, `必须小于 ${maximum}`);
}

/** The parser's own words begin so. */
function isOwn({ message }: Issue): boolean {
  return !/^(?:Too big|Invalid)\b/.test(message);
}

/** Words that a schema of ours has given. */
function own({ message }: Issue, language: Language): string {
  return language === 'zh' ? chineseReason(message) : message;
}

/**
 * The issues that people are told of: the first of each field. Where a value may be one of several things, what is wrong is told of the first of them, which is
 * the rule; the others are exceptions, such as an empty text. Where each is a single value, all of them are named.
 */
export function plainIssues(issues: readonly Issue[]): Issue[] {
  const plain = issues.flatMap((issue) => (issue.code === 'invalid_union' ? ofUnion(issue) : [issue]));
  const seen = new Set<string>();
  return plain.filter(({ path }) => {
    const place = path.join('.');
    return !seen.has(place) && seen.add(place);
  });
}

function ofUnion(union: z.core.$ZodIssueInvalidUnion): Issue[] {
  const choices = union.errors.map(([issue]) => issue);
  if (choices.length > 0 && choices.every((issue) => issue?.code === 'invalid_value')) {
    const values = choices.flatMap((issue) => (issue.code === 'invalid_value' ? issue.values : []));
    return [{ code: 'invalid_value', values, path: union.path, message: '' }];
  }
  const [first = []] = union.errors;
  return plainIssues(first.map((issue) => ({ ...issue, path: [...union.path, ...issue.path] })));
}
