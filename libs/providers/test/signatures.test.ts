import { readFileSync } from 'node:fs';
import { providerOf, type SignedParts, type Target } from '@tollgate/providers';
import { expect } from 'chai';
import { zhipuJwt } from '../src/zhipu/jwt.ts';

const folder = new URL('../../testing/fixtures/wire-samples/signatures/', import.meta.url);
const vectors = JSON.parse(readFileSync(new URL('vectors.json', folder), 'utf8')) as Record<string, Record<string, string>>;

async function signed(type: number, call: { url: string; body: string; key: string; atMs: number }): Promise<SignedParts> {
  const target: Target = { baseUrl: '', key: call.key, model: 'm' };
  const parts = await providerOf(type)?.sign?.({ url: call.url, body: Buffer.from(call.body), target, atMs: call.atMs });
  if (parts === undefined) throw new Error(`type ${type} signs nothing`);
  return parts;
}

describe('signatures, as they were published', () => {
  it('of AWS cover the path as it is written, once more encoded', async () => {
    const { accessKeyId, secretAccessKey, region, requestPath, body, authorization, amzDate } = vectors.awsSigV4 ?? {};
    const { headers } = await signed(33, {
      url: `https://bedrock-runtime.${region}.amazonaws.com${requestPath}`,
      body: body ?? '',
      key: `${accessKeyId}|${secretAccessKey}|${region}`,
      atMs: Date.UTC(2025, 2, 4, 5, 6, 7),
    });
    expect(headers).to.deep.equal({ 'x-amz-date': amzDate, authorization });
  });

  it('of Tencent cover the bytes of the body', async () => {
    const { secretId, secretKey, timestamp, body, authorization, host, action } = vectors.tencentTC3 ?? {};
    const { headers } = await signed(23, {
      url: 'https://relay.example.com/',
      body: body ?? '',
      key: `1250000000|${secretId}|${secretKey}`,
      atMs: Number(timestamp) * 1000,
    });
    expect(headers).to.include({ authorization, host, 'x-tc-action': action, 'x-tc-timestamp': String(timestamp) });
  });

  it('of Spark stand in the address', async () => {
    const { appId, apiKey, apiSecret, url } = vectors.sparkHmacUrl ?? {};
    const parts = await signed(18, {
      url: 'wss://spark-api.xf-yun.com/v3.5/chat',
      body: '{}',
      key: `${appId}|${apiSecret}|${apiKey}`,
      atMs: Date.UTC(2025, 2, 4, 5, 6, 7),
    });
    const [wanted, got] = [new URL(url ?? ''), new URL(parts.url ?? '')];
    expect(got.origin + got.pathname).to.equal(wanted.origin + wanted.pathname);
    expect([...got.searchParams]).to.deep.equal([...wanted.searchParams]);
  });

  it('of Zhipu are a token with times in milliseconds', async () => {
    const { key = '', token } = vectors.zhipuJwt ?? {};
    expect(zhipuJwt(key.split('.')[0] ?? '', key.split('.')[1] ?? '', 1_741_000_000_000)).to.equal(token);
    expect((await signed(16, { url: '', body: '', key, atMs: 1_741_000_000_000 })).headers).to.deep.equal({ authorization: token });
    const plain = await signed(26, { url: '', body: '', key: 'a-key-without-a-dot', atMs: 0 });
    expect(plain.headers).to.deep.equal({ authorization: 'Bearer a-key-without-a-dot' });
  });
});

describe('keys of a wrong form', () => {
  const wrong: [number, string][] = [
    [16, 'no-dot'],
    [18, 'app|secret'],
    [23, 'one'],
    [33, 'AKIA|secret'],
    [33, 'AKIA|secret|us-east-1|more'],
  ];
  for (const [type, key] of wrong) {
    it(`are told as such, and never shown: type ${type}, ${key.split('|').length} parts`, async () => {
      const failure = await signed(type, { url: 'https://x.example.com/', body: '', key, atMs: 0 }).catch((error: unknown) => error);
      expect(failure).to.include({ name: 'UpstreamError', code: 'invalid_auth', disablesChannel: true });
      expect((failure as Error).message)
        .to.include('wrong form')
        .and.not.include('secret|');
    });
  }

  it('are told of exchanges, too', async () => {
    for (const [type, key] of [
      [15, 'only-one'],
      [41, '{"project_id":"p"}'],
      [41, 'no json'],
    ] as const) {
      const failure = await providerOf(type)
        ?.token?.ask({ baseUrl: 'https://x.example.com', key, model: 'm' }, 0)
        .catch((error: unknown) => error);
      expect(failure, `${type} ${key}`).to.include({ name: 'UpstreamError', code: 'invalid_auth' });
    }
  });

  it('a service account names no address but Google’s or its channel’s for tokens', async () => {
    const { privateKey } = (await import('node:crypto')).generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const account = { project_id: 'p', client_email: 'm@p.example.com', private_key: pem, token_uri: 'https://thief.example.com/token' };
    const ask = (baseUrl: string) =>
      providerOf(41)
        ?.token?.ask({ baseUrl, key: JSON.stringify(account), model: 'm' }, 0)
        .catch((error: unknown) => error);
    expect(await ask('https://us-central1-aiplatform.googleapis.com')).to.include({ code: 'invalid_auth' });
    expect(await ask('https://thief.example.com')).to.include({ url: 'https://thief.example.com/token' });
  });
});
