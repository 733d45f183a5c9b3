import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { chineseReason } from '../src/http/reasons.ts';
import { startConsole, type TestConsole } from './support/console.ts';

/** Where reasons are written, and how. */
const inServices = /(?:reason: |unknown\(|return )'([a-z`][^'\n]* [^'\n]*)'/g;
const inSchemas = /(?:refine\([^\n]*, |\}, |regex\([^\n]*, |message: )'([a-z`][^'\n]* [^'\n]*)'/g;
const sources: [folder: string, written: RegExp][] = [
  ['../src', inServices],
  ['../../../libs/runtime/src', inServices],
  ['../../../libs/contracts/src', inSchemas],
];
const english = /[A-Za-z]{3,}/;
const names =
  /Content-Type|application\/json|UTF-8|ASCII|`other`|`default`|JSON|HTTPS?|https?|CIDR|socks5|target_timestamp|subject_id|chat_id/g;

describe('answers in Chinese', () => {
  let tollgate: TestConsole;
  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
  });
  after(() => tollgate.close());

  it('have words of their own for every reason that is written anywhere', () => {
    const reasons = sources.flatMap(([folder, written]) => reasonsIn(join(import.meta.dirname, folder), written));
    expect(reasons).to.have.length.above(20);
    const missing = reasons.filter((reason) => english.test(chineseReason(reason).replace(names, '')));
    expect(missing).to.deep.equal([]);
  });

  it('hold no English', async () => {
    const asks = [
      ['GET', '/api/user/abc', undefined],
      ['PUT', '/api/user/', { id: 1, add_quota: -1e12 }],
      ['POST', '/api/user/', { username: 'a b', password: '12345678' }],
      ['POST', '/api/user/', '{"username":'],
      ['POST', '/api/channel/', { name: 'c', type: 999, key: 'k', models: 'm' }],
      ['POST', '/api/channel/', { name: 'c', type: 1, key: ' ', models: '', model_mapping: '[]' }],
      ['POST', '/api/channel/', { name: 'c', type: 1, key: 'k', models: 'm', base_url: 'ftp://x' }],
      ['POST', '/api/token/', { name: 't', allow_ips: '10.0.0.300' }],
      ['PUT', '/api/channel/tag', { tag: 't' }],
      ['PUT', '/api/option/', { key: 'RetryTimes', value: 'x' }],
      ['DELETE', '/api/log/', undefined],
    ] as const;
    for (const [method, path, body] of asks) {
      const { success, message } = await tollgate.root.send(method, path, body, { 'accept-language': 'zh' });
      expect(success, path).to.equal(false);
      const words = message
        .replace(/(^|：|; ?)[\w.]+: /g, '$1')
        .replace(names, '')
        .replace(/RetryTimes|10\.0\.0\.300/g, '');
      expect(words, message).not.to.match(english);
    }
    const running = await tollgate.root.send('GET', '/api/status/test', undefined, { 'accept-language': 'zh' });
    expect(running.message).to.equal('服务器正在运行');
  });
});

function reasonsIn(folder: string, written: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      return [...text.matchAll(written)].map((match) => match[1] as string);
    });
}
