import { createConfig, lintFromString } from '@redocly/openapi-core';
import { routeNames } from '@tollgate/contracts';
import { expect } from 'chai';
import { apiDocument } from '../src/features/openapi/document.ts';
import { startConsole, type TestConsole } from './support/console.ts';

interface Operation {
  operationId: string;
  description?: string;
  'x-summary-zh'?: string;
  'x-description-zh'?: string;
  'x-access': string;
  security: Record<string, unknown>[];
  requestBody?: { content: Record<string, { schema: { properties: Record<string, unknown>; required: string[] }; example: unknown }> };
}
type Document = { openapi: string; paths: Record<string, Record<string, Operation>> };

async function lint(source: string) {
  // The product family has `/channel/fetch_models/:id` beside `/channel/:id/copy`; what is meant is clear, for an id is a number.
  const rules = { 'no-invalid-media-type-examples': 'error', 'no-ambiguous-paths': 'off' } as const;
  const config = await createConfig({ extends: ['spec', 'recommended'], rules });
  return lintFromString({ source, absoluteRef: '/openapi.json', config });
}

describe('the document of the API', () => {
  let tollgate: TestConsole;
  let text: string;
  let document: Document;

  before(async () => {
    tollgate = await startConsole();
    const answer = await fetch(`${tollgate.origin}/api/openapi.json`);
    expect(answer.headers.get('content-type')).to.match(/^application\/json/);
    text = await answer.text();
    document = JSON.parse(text) as Document;
  });
  after(() => tollgate.close());

  it('is valid OpenAPI 3.1, examples included', async () => {
    expect(document.openapi).to.match(/^3\.1\./);
    const problems = await lint(text);
    expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`)).to.deep.equal([]);
  });

  it('would not pass with a fault in it', async () => {
    expect(await lint(text.replace('"required":true', '"required":"yes"'))).to.have.length(1);
    expect(await lint(text.replace('"example":{"id":1', '"example":{"id":"one"'))).to.have.length(1);
  });

  it('tells every route of the contract, and no other, with an id of its own', () => {
    const told = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(told).to.have.members(routeNames);
    const ids = Object.values(document.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    expect(new Set(ids).size).to.equal(routeNames.length);
  });

  it('tells what each route does in Chinese, too', () => {
    const untold = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { description, ...said }]) => {
        const words = [said['x-summary-zh'], description === undefined ? '。' : said['x-description-zh']];
        return words.every((text) => /[\u3000-\u9fff]/.test(text ?? '') && !text?.includes('undefined')) ? [] : [`${method} ${path}`];
      }),
    );
    expect(untold).to.deep.equal([]);
  });

  it('says who may, and what has to be sent', () => {
    const { get: status } = document.paths['/api/status'] ?? {};
    const { put: token } = document.paths['/api/token'] ?? {};
    expect(status?.security).to.deep.equal([]);
    expect([status?.['x-access'], token?.['x-access']]).to.deep.equal(['anyone', 'user']);
    expect(token?.security).to.deep.equal([
      { session: [], userId: [] },
      { accessToken: [], userId: [] },
    ]);
    const { schema, example } = token?.requestBody?.content['application/json'] ?? {};
    expect(schema?.required).to.deep.equal(['id']);
    expect(schema?.properties).to.include.keys('name', 'remain_quota', 'version');
    expect(example).to.deep.equal({ id: 1, name: 'desk' });
  });

  it('is the same that the contracts make', () => {
    expect(document).to.deep.equal(JSON.parse(JSON.stringify(apiDocument())));
  });
});
