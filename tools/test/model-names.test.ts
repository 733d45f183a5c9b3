import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { modelsPage } from '../model-catalog/page.ts';
import { repository } from '../repository.ts';

/** What decides by a model's name: a regular expression, a comparison or a table with the name of a family in it. */
const families = '(?:gpt|claude|gemini|gemma|imagen|kimi|grok|qwen|qwq|deepseek|glm|llama|mistral|magistral|codestral|ernie|hunyuan)';
const decisions = [
  new RegExp(`/(?:\\\\.|[^/\\n ])*\\b${families}[-\\d\\\\](?:\\\\.|[^/\\n])*/[a-z]*\\.(?:test|exec)\\(`, 'i'),
  new RegExp(`\\.(?:startsWith|endsWith|includes)\\('${families}[^']*'\\)`, 'i'),
  new RegExp(`[!=]== '${families}-[^']*'`, 'i'),
  new RegExp(`^\\s*\\[?'${families}-[^']*'[,:]`, 'i'),
  /\/\^?\(?\??:?o\[?\d|\/\^o\\d/,
];
const looked = ['libs/pricing/src', 'libs/providers/src', 'services/relay/src', 'services/billing/src'];

describe('the page of models', () => {
  it('is what `node tools/model-catalog/write-page.ts` writes now', () => {
    expect(readFileSync(join(repository, 'docs/models.md'), 'utf8')).to.equal(modelsPage());
  });
});

describe('what a model alone needs', () => {
  it('stands in the catalog, and nowhere in code', () => {
    const found = looked.flatMap((folder) =>
      readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .flatMap((file) => {
          const lines = readFileSync(join(repository, folder, file), 'utf8').split('\n');
          return lines.flatMap((line, at) =>
            decisions.some((one) => one.test(line)) ? [`${folder}/${file}:${at + 1} ${line.trim()}`] : [],
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
    ];
    for (const line of lines)
      expect(
        decisions.some((one) => one.test(line)),
        line,
      ).to.equal(true);
  });
});
