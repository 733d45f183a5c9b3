import { type Ask, parameter, type Words } from '../both-languages.ts';

export type Who = 'anonymous' | 'user' | 'admin' | 'root';
export type Row = readonly [line: string, who: Who, ask: Ask, words: Words];

export const missing = (field: string): Words => parameter(`${field}: is missing`, `${field}: 不能缺少`);
export const empty = (field: string): Words => parameter(`${field}: must not be empty`, `${field}: 不能为空`);
export const noNumber = (field: string): Words => parameter(`${field}: must be a number`, `${field}: 必须是数字`);
export const noInteger = (field: string): Words => parameter(`${field}: must be a whole number`, `${field}: 必须是整数`);
export const noText = (field: string): Words => parameter(`${field}: must be a text`, `${field}: 必须是文本`);
export const atLeast = (field: string, least: number): Words =>
  parameter(`${field}: must be at least ${least}`, `${field}: 不能小于 ${least}`);
export const above = (field: string, least: number): Words => parameter(`${field}: must be above ${least}`, `${field}: 必须大于 ${least}`);
export const atMost = (field: string, most: number): Words => parameter(`${field}: must be at most ${most}`, `${field}: 不能大于 ${most}`);
export const tooLong = (field: string, most: number): Words =>
  parameter(`${field}: may have at most ${most} characters`, `${field}: 最多 ${most} 个字符`);
export const tooShort = (field: string, least: number): Words =>
  parameter(`${field}: must have at least ${least} characters`, `${field}: 至少需要 ${least} 个字符`);
export const oneOf = (field: string, values: string): Words =>
  parameter(`${field}: must be one of ${values}`, `${field}: 必须是 ${values} 之一`);
export const noMail = parameter('email: is no e-mail address', 'email: 不是有效的邮箱地址');
export const invisible = (field: string): Words =>
  parameter(`${field}: may hold no invisible control characters`, `${field}: 不能包含不可见的控制字符`);
export const notPlain = (field: string): Words =>
  parameter(`${field}: must be plain text on one line`, `${field}: 只能包含单行可见 ASCII 字符`);
export const noMapping = parameter('model_mapping: Model mapping must be valid JSON', 'model_mapping: 模型映射必须是合法的 JSON 格式！');
export const notFound: Words = ['Record not found', '记录不存在'];
export const higherRank: Words = [
  'A user of the same or a higher rank cannot be viewed or changed',
  '无权操作同权限等级或更高权限等级的用户',
];
export const person = { username: 'grace', password: 'hopper-1906' };
