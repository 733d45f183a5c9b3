import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { modelsPage } from '../model-catalog/page.ts';
import { repository } from '../repository.ts';

/** What decides by a model's name: a regular expression, a comparison or a table with the name of a family in it. */
const families = '(?:gpt|claude|gemini|gemma|imagen|kimi|grok|qwen|qwq|deepseek|glm|llama|mistral|magistral|codestral|ernie|hunyuan)';
const decisions = [
  new RegExp(`/(?:\\\\.|[^/\\n ])*\\b${families}(?:\\\\.|[^/\\n ])*/[a-z]*\\.(?:test|exec)\\(`, 'i'),
  new RegExp(`(?:match|search|replace|RegExp)\\((?:/|['"\`]\\^?)[^/'"\`]{0,20}${families}`, 'i'),
  new RegExp(`\\.(?:startsWith|endsWith|includes|has|get)\\(['"\`]${families}[^'"\`]*['"\`]\\)`, 'i'),
  new RegExp(`[!=]==? ['"\`]${families}[-\\d][^'"\`]*['"\`]`, 'i'),
  new RegExp(`\\bcase ['"\`]${families}[-\\d]`, 'i'),
  new RegExp(`^\\s*\\[?['"\`]${families}-[^'"\`]*['"\`][,:\\]]`, 'i'),
  new RegExp(`(?:new Set\\(|= )\\[['"\`]${families}-`, 'i'),
  /\/\^?\(?\??:?o\[?\d|\/\^o\\d/,
];
const looked = [
  ...[
    'libs/bus',
    'libs/contracts',
    'libs/db',
    'libs/options',
    'libs/pricing',
    'libs/providers',
    'libs/runtime',
    'libs/tasks',
    'libs/wallet',
  ],
  ...['services/relay', 'services/billing', 'services/console', 'web'],
].map((folder) => `${folder}/src`);

/** An order in which people look names up, and nothing that a model does. */
const orders = new Set(["const isFirst = ({ model_name: name }: PricingRow): number => (name.startsWith('gpt') ? 0 : 1);"]);

describe('the page of models', () => {
  it('is what `node tools/model-catalog/write-page.ts` writes now', () => {
    expect(readFileSync(join(repository, 'docs/models.md'), 'utf8')).to.equal(modelsPage());
  });
});

describe('what a model alone needs', () => {
  it('stands in the catalog, and nowhere in code', () => {
    const found = looked.flatMap((folder) =>
      readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file))
        .flatMap((file) => {
          const lines = readFileSync(join(repository, folder, file), 'utf8').split('\n');
          return lines.flatMap((line, at) =>
            decisions.some((one) => one.test(line)) && !orders.has(line.trim()) ? [`${folder}/${file}:${at + 1} ${line.trim()}`] : [],
          );
        }),
    );
    expect(found).to.deep.equal([]);
  });

  it('would be found there', () => {
    const lines = [
      "if (model.startsWith('claude-opus')) return 1;",
      'const family = /^gpt-5/.test(model);',
      "  ['claude-3', 1],",
      "model === 'grok-4'",
      'const slow = /^o\\d/i;',
      'const isClaude = /claude/i.test(model);',
      'if (model.match(/gemini/)) return;',
      "  case 'kimi-k3':",
      "const slow = new Set(['deepseek-reasoner']);",
      "const names = ['grok-4'];",
    ];
    for (const line of lines)
      expect(
        decisions.some((one) => one.test(line)),
        line,
      ).to.equal(true);
  });
});
