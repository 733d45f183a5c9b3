import { expect } from 'chai';
import type { Reply, Visitor } from '../support/console.ts';

export type Ask = readonly [method: string, path: string, body?: unknown];
export type Words = readonly [en: string, zh: string];

/** What is said of a field of a request. */
export function parameter(en: string, zh: string): Words {
  return [`Invalid parameter: ${en}`, `无效的参数：${zh}`];
}

/** Asks in English and in Chinese; both are refused, in words of one language. */
export async function refusals(by: Visitor, [method, path, body]: Ask): Promise<{ en: Reply; zh: Reply }> {
  const ask = async (language: 'en' | 'zh') => {
    const reply = await by.send(method, path, body, { 'accept-language': language });
    const what = `${method} ${path} ${JSON.stringify(body)?.slice(0, 200)}: ${reply.status} ${reply.message}`;
    expect(reply.success, what).to.equal(false);
    expect(reply.status, what).to.be.within(200, 499);
    expect(reply.code, what).to.be.a('string');
    return reply;
  };
  const [en, zh] = await Promise.all([ask('en'), ask('zh')]);
  return { en, zh };
}

/** The same, word by word. */
export async function expectRefusal(by: Visitor, ask: Ask, words: Words): Promise<void> {
  const { en, zh } = await refusals(by, ask);
  expect([en.message, zh.message], JSON.stringify(ask).slice(0, 300)).to.deep.equal([...words]);
}

/** Neither Chinese among English words, nor English among Chinese ones; names of fields and values are of no language. */
export function expectOneLanguage({ en, zh }: { en: { message: string }; zh: { message: string } }, names: readonly string[]): void {
  expect(en.message, en.message).not.to.match(/\p{Script=Han}/u);
  expect(zh.message, zh.message).to.match(/\p{Script=Han}/u);
  const words = [...names, 'JSON', 'http', 'https', 'UTF', 'ASCII', 'true', 'false'].reduce(
    (text, name) => text.replaceAll(name, ''),
    zh.message.replace(/(?:^|[：;] ?)[\w."-]+: /g, ''),
  );
  expect(words, zh.message).not.to.match(/[A-Za-z]{3,}/);
}
