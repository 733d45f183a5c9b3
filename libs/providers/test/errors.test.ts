import { expect } from 'chai';
import { type JsonObject, providerOf, readError, UpstreamError, withoutSecrets } from '../src/index.ts';
import { playedBack, streamed } from './corners.ts';

describe('what a provider says went wrong', () => {
  const bodies: [body: unknown, message: string][] = [
    [{ error: { message: 'in error' } }, 'in error'],
    [{ error: 'as text' }, 'as text'],
    [{ message: 'at the top' }, 'at the top'],
    [{ message: { detail: [{ msg: 'in detail' }] } }, 'in detail'],
    [{ msg: 'msg' }, 'msg'],
    [{ err: 'err' }, 'err'],
    [{ error_msg: 'error_msg' }, 'error_msg'],
    [{ detail: 'detail' }, 'detail'],
    [{ detail: [{ msg: 'detail list' }] }, 'detail list'],
    [{ errors: [{ message: 'errors' }] }, 'errors'],
    [{ header: { message: 'header' } }, 'header'],
    [{ response: { error: { message: 'response' } } }, 'response'],
    [{ Response: { Error: { Message: 'Response' } } }, 'Response'],
    [{ base_resp: { status_msg: 'base_resp' } }, 'base_resp'],
    [{ error_description: 'oauth' }, 'oauth'],
    [[{ error: { message: 'in a list' } }], 'in a list'],
    [{ error: { message: 'wrong', details: [{ fieldViolations: [{ field: 'a', description: 'no such name' }] }] } }, 'wrong; no such name'],
    [{ error: { message: 'flagged', metadata: { reasons: ['violence'], flagged_input: 'x' } } }, 'flagged; violence'],
    ['bare', 'bare'],
    [{}, 'bad response status code 400'],
    [null, 'bad response status code 400'],
    [7, 'bad response status code 400'],
  ];
  for (const [body, message] of bodies) {
    it(`is found in ${JSON.stringify(body)}`, () => {
      expect(readError({ status: 400, body: JSON.stringify(body) }).message).to.equal(message);
    });
  }

  it('is told by OpenAI’s code where a prompt is too long, by which clients shorten it, whatever the provider’s words', () => {
    const anthropic = (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } });
    const codeOf = (body: unknown, status = 400) => readError({ status, body: JSON.stringify(body) }).code;
    const tooLong = 'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).';
    for (const body of [
      anthropic('prompt is too long: 208310 tokens > 200000 maximum'),
      anthropic('input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input length'),
      { error: { code: 400, status: 'INVALID_ARGUMENT', message: tooLong } },
      { error: { code: 400, message: 'The input token count 40000 exceeds the maximum number of tokens allowed 32768.' } },
      { error: { code: 400, message: 'The input token count exceeds the maximum number of tokens allowed 32768.' } },
      { object: 'error', message: "This model's maximum context length is 4096 tokens.", type: 'BadRequestError', code: 400 },
      { error: { message: 'x', code: 'context_length_exceeded' } },
      { error: { message: 'Invalid request: Your request exceeded model token limit: 131072', type: 'invalid_request_error' } },
      { error: { code: '1261', message: 'Prompt exceeds max length' } },
      { message: 'Input is too long for requested model.' },
      { error: { message: 'Range of input length should be [1, 129024]', code: 'invalid_parameter_error' } },
      {
        code: 'Client specified an invalid argument',
        error: "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
      },
      { error: { code: 400, message: 'the request exceeds the available context size (4096 tokens)', type: 'exceed_context_size_error' } },
      { message: 'Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length', code: '3051' },
    ]) {
      expect(codeOf(body), JSON.stringify(body)).to.equal('context_length_exceeded');
    }
    const ofGroq = { error: { message: 'Please reduce the length of the messages or completion.', code: 'context_length_exceeded' } };
    expect(readError({ status: 413, body: JSON.stringify(ofGroq) }).status).to.equal(400);
    expect(codeOf(anthropic('messages: prompt is too short'))).to.equal(null);
    expect(codeOf({ error: { message: 'maximum context length', code: 'its_own' } })).to.equal('its_own');
    expect(codeOf({ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: tooLong } }, 429)).to.equal(429);
  });

  it('is nothing in an HTML page', () => {
    const error = readError({ status: 502, body: '<html>nginx at 10.1.2.3</html>' });
    expect(error).to.include({
      message: 'bad response status code 502',
      code: 'bad_response_status_code',
      param: '502',
      type: 'upstream_error',
    });
  });

  it('is a bad gateway where the status is none of an error and none of an answer', () => {
    for (const status of [201, 204, 206, 301, 304, 399, 600, 999]) {
      expect(readError({ status, body: '' }), String(status)).to.include({ status: 502, kind: 'server', retryable: true });
    }
  });

  it('is read over a byte order mark', () => {
    expect(readError({ status: 400, body: '\uFEFF{"error":{"message":"no"}}' }).message).to.equal('no');
  });

  it('may ask for a pause until a date, by the provider’s own clock or by ours', () => {
    const pauseOf = (headers: Record<string, string>, atMs?: number) => readError({ status: 429, body: '', headers, atMs }).retryAfterMs;
    const until = 'Sun, 06 Nov 2033 08:49:37 GMT';
    expect(pauseOf({ 'retry-after': until, date: 'Sun, 06 Nov 2033 08:49:30 GMT' })).to.equal(7000);
    expect(pauseOf({ 'retry-after': until }, Date.parse(until) - 3000)).to.equal(3000);
    expect(pauseOf({ 'retry-after': until, date: 'Sun, 06 Nov 2033 08:50:00 GMT' })).to.equal(0);
    expect(pauseOf({ 'retry-after': until, date: 'Sun, 06 Nov 2003 08:50:00 GMT' })).to.equal(3_600_000);
    for (const odd of ['soon', 'GMT', '2033', '-1', '5 s']) expect(pauseOf({ 'retry-after': odd }, 0)).to.be.oneOf([undefined, 2_033_000]);
    expect(pauseOf({ 'retry-after': until })).to.equal(undefined);
  });

  const secrets = [
    'Incorrect API key provided: sk-proj-Abc123DEF456ghi789.',
    'bad key AIzaSyA-1234567890abcdefghijk',
    'Authorization: Bearer abc.def.ghi',
    'POST https://llm.internal.example.com:8443/v1?key=zzz failed',
    'dial tcp 10.20.30.40:8080: connection refused',
    'host model-7.svc.cluster.local not found',
    'for organization org-AbCd1234 in project proj_XyZ98765',
    'token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF signed',
    'account ops@example.com is suspended',
    'the-channel-key-itself was refused',
    'secret 0123456789abcdef0123456789abcdef',
    'User: arn:aws:iam::123456789012:user/ops-of-ours is not authorized to perform: bedrock:InvokeModel',
    'on resource: arn:aws-cn:bedrock:cn-north-1:123456789012:inference-profile/ours',
    'Publisher Model `projects/acme-prod-42/locations/us-central1/publishers/google/models/gemini-x` was not found',
    "denied on resource '//aiplatform.googleapis.com/projects/acme-prod-42/locations/us-central1'",
    "exceeded for consumer 'project_number:123456789012'",
    'Gemini API has not been used in project 123456789012 before or it is disabled',
  ];
  for (const text of secrets) {
    it(`keeps to itself what stands in "${text.slice(0, 40)}..."`, () => {
      const shown = withoutSecrets(text, 'the-channel-key-itself');
      expect(shown).to.not.match(
        /sk-proj|AIza|abc\.def|example\.com|10\.20|8443|cluster|AbCd1234|XyZ98765|eyJ|channel-key|0123456789|1234567890|ops-of-ours|acme/,
      );
      expect(shown).to.match(/\[(key|url|address|host|account|mail)\]/);
    });
  }

  it('leaves plain words and model names alone, and shortens novels', () => {
    const text = "The model gpt-3.5-turbo does not support parameter 'top_p' (max 1.0).";
    expect(withoutSecrets(text)).to.equal(text);
    expect(withoutSecrets('api-version and token_limit_exceeded are no secrets')).to.equal(
      'api-version and token_limit_exceeded are no secrets',
    );
    expect(withoutSecrets('a.'.repeat(1_000_000)).length).to.be.below(1100);
  });

  it('knows who is at fault', () => {
    const told = (status: number, error: object = {}) => readError({ status, body: JSON.stringify({ error: { message: 'm', ...error } }) });
    expect(told(400)).to.include({ kind: 'request', retryable: false, disablesChannel: false });
    expect(told(401)).to.include({ kind: 'credentials', retryable: true, disablesChannel: true });
    expect(told(402)).to.include({ kind: 'balance', retryable: true, disablesChannel: true });
    expect(told(403)).to.include({ kind: 'not_found', retryable: true, disablesChannel: false });
    expect(told(429)).to.include({ kind: 'rate_limit', retryable: true, disablesChannel: false });
    expect(told(429, { code: 'insufficient_quota' })).to.include({ kind: 'balance', disablesChannel: true });
    expect(told(500)).to.include({ kind: 'server', retryable: true });
    expect(told(504)).to.include({ kind: 'timeout', retryable: false });
    expect(told(529)).to.include({ kind: 'overloaded', retryable: true });
    expect(told(400, { code: 'content_filter' })).to.include({ kind: 'content_filter', retryable: false });
  });

  it('believes a time to wait, but not forever', () => {
    const wait = (headers: Record<string, string>) => readError({ status: 429, body: '{}', headers }).retryAfterMs;
    expect(wait({ 'retry-after': '2' })).to.equal(2000);
    expect(wait({ 'retry-after-ms': '350' })).to.equal(350);
    expect(wait({ 'retry-after': '999999999' })).to.equal(3_600_000);
    expect(wait({ 'retry-after': '-1' })).to.equal(undefined);
    expect(wait({ 'retry-after': 'soon' })).to.equal(undefined);
    expect(wait({})).to.equal(undefined);
  });

  it('is that an answer was given up: nothing of it is none, and what there is of it was cut', () => {
    for (const [type, reason] of [
      [20, 'error'],
      [26, 'network_error'],
      [42, 'error'],
    ] as const) {
      const whole = (content: string) =>
        Buffer.from(JSON.stringify({ choices: [{ index: 0, message: { content }, finish_reason: reason }] }));
      expect(() => playedBack(type, 'chat', whole('')), String(type))
        .to.throw(UpstreamError)
        .with.property('status', 502);
      expect((playedBack(type, 'chat', whole('a')).json.choices as JsonObject[])[0]?.finish_reason, String(type)).to.equal('length');
      const chunk = (delta: object, finish: string | null) =>
        `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
      const end = chunk({}, reason);
      expect(streamed(type, 'chat', Buffer.from(end)).error, String(type)).to.include({ status: 502, retryable: true });
      const { chunks, error } = streamed(type, 'chat', Buffer.from(chunk({ content: 'a' }, null) + end));
      expect(error).to.equal(undefined);
      expect(JSON.stringify(chunks.at(-1)), String(type)).to.include('"finish_reason":"length"');
    }
  });

  it('reads Gemini: a bad key is ours, and the wait stands in the details', () => {
    const badKey = {
      error: { code: 400, status: 'INVALID_ARGUMENT', message: 'API key not valid.', details: [{ reason: 'API_KEY_INVALID' }] },
    };
    expect(providerOf(24)?.error({ status: 400, body: JSON.stringify(badKey) }, '')).to.include({
      kind: 'credentials',
      type: 'INVALID_ARGUMENT',
    });
    const limited = { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Slow down', details: [{ retryDelay: '34s' }] } };
    expect(providerOf(24)?.error({ status: 429, body: JSON.stringify(limited) }, '').retryAfterMs).to.equal(34_000);
  });

  it('reads Anthropic: an empty account is not the caller at fault', () => {
    const body = JSON.stringify({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' },
    });
    expect(providerOf(14)?.error({ status: 400, body }, '')).to.include({ kind: 'balance', retryable: true });
  });
});
