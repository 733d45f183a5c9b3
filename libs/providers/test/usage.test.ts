import { noUsage } from '@tollgate/contracts';
import { expect } from 'chai';
import { notBelow, providerOf, readOpenAiUsage, toOpenAiUsage, withinBound } from '../src/index.ts';

describe('usage in disjoint classes', () => {
  it('takes the parts out of OpenAI totals', () => {
    const reading = readOpenAiUsage({
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 40, audio_tokens: 10, image_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 5 },
    });
    expect(reading).to.deep.equal({
      trusted: true,
      usage: {
        ...noUsage,
        textInput: 45,
        cachedInput: 40,
        audioInput: 10,
        imageInput: 5,
        textOutput: 25,
        reasoningOutput: 20,
        audioOutput: 5,
      },
    });
  });

  it('never sums to more than the totals, whatever the parts claim', () => {
    const reading = readOpenAiUsage({
      prompt_tokens: 10,
      completion_tokens: 1,
      prompt_tokens_details: { cached_tokens: 8, audio_tokens: 8 },
    });
    expect(reading).to.deep.equal({ trusted: true, usage: { ...noUsage, cachedInput: 8, audioInput: 2, textOutput: 1 } });
  });

  it('reads a total alone as prompt, and DeepSeek cache hits', () => {
    expect(readOpenAiUsage({ total_tokens: 9 })).to.deep.equal({ trusted: true, usage: { ...noUsage, textInput: 9 } });
    expect(readOpenAiUsage({ prompt_tokens: 9, prompt_cache_hit_tokens: 4 })).to.deep.equal({
      trusted: true,
      usage: { ...noUsage, textInput: 5, cachedInput: 4 },
    });
  });

  it('takes a total beyond its parts for output that was not told apart', () => {
    const outputOf = (usage: object) => {
      const reading = readOpenAiUsage(usage);
      return reading?.trusted ? reading.usage.textOutput + reading.usage.reasoningOutput : undefined;
    };
    expect(outputOf({ prompt_tokens: 10, total_tokens: 110 })).to.equal(100);
    expect(outputOf({ prompt_tokens: 10, completion_tokens: 9, total_tokens: 110 })).to.equal(100);
    expect(outputOf({ prompt_tokens: 10, completion_tokens: 9, total_tokens: 3 })).to.equal(9);
    const gemini = providerOf(24)?.chat?.usageIn({ usageMetadata: { promptTokenCount: 4, thoughtsTokenCount: 6, totalTokenCount: 30 } });
    expect(gemini).to.deep.equal({ trusted: true, usage: { ...noUsage, textInput: 4, textOutput: 20, reasoningOutput: 6 } });
  });

  describe('is never less than what was delivered', () => {
    const delivered = { textOutput: 130, reasoningOutput: 20, characters: 600 };
    const raised = (usage: object, isLast = true) => notBelow(delivered, { ...noUsage, textInput: 10, ...usage }, { isLast });

    it('where the provider names no output, or next to none', () => {
      for (const usage of [{}, { textOutput: 1 }, { reasoningOutput: 3 }]) {
        const { textOutput, reasoningOutput, textInput } = raised(usage);
        expect(textOutput + reasoningOutput, JSON.stringify(usage)).to.be.at.least(130);
        expect(textInput).to.equal(10);
      }
    });

    it('where it names thoughts alone', () => expect(raised({ reasoningOutput: 500 }).textOutput).to.equal(130));

    it('where the answer went on after the bill', () => {
      expect(raised({ textOutput: 60 }, false).textOutput).to.equal(150);
      expect(raised({ textOutput: 300 }, false).textOutput).to.equal(300);
    });

    it('and else is what the provider says: its count is exact, ours is not', () => {
      for (const textOutput of [10, 60, 150, 9000]) {
        const usage = { ...noUsage, textInput: 10, textOutput };
        expect(notBelow(delivered, usage, { isLast: true })).to.equal(usage);
      }
      const dashes = { textOutput: 7500, reasoningOutput: 0, characters: 10_000 };
      expect(notBelow(dashes, { ...noUsage, textOutput: 160 }, { isLast: true }).textOutput).to.equal(160);
    });
  });

  it('says back to the caller what it read', () => {
    const stated = { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 };
    const reading = readOpenAiUsage(stated);
    expect(reading?.trusted && toOpenAiUsage(reading.usage)).to.include(stated);
  });

  const impossible = [-1, 1.5, '12', Number.NaN, Number.POSITIVE_INFINITY, 1e18, true, {}, []];
  for (const value of impossible) {
    it(`distrusts ${typeof value} ${String(value)}, wherever it stands`, () => {
      for (const usage of [
        { prompt_tokens: value, completion_tokens: 3 },
        { prompt_tokens: 3, completion_tokens: value },
        { prompt_tokens: 3, completion_tokens: 3, prompt_tokens_details: { cached_tokens: value } },
      ]) {
        expect(readOpenAiUsage(usage)?.trusted, JSON.stringify(usage)).to.equal(false);
      }
      expect(providerOf(14)?.chat?.usageIn({ usage: { input_tokens: 1, output_tokens: value } })?.trusted).to.equal(false);
      expect(providerOf(24)?.chat?.usageIn({ usageMetadata: { promptTokenCount: 1, thoughtsTokenCount: value } })?.trusted).to.equal(false);
    });
  }

  it('takes zeros and nothing for "not known"', () => {
    for (const usage of [null, undefined, 'x', {}, { prompt_tokens: 0, completion_tokens: 0 }]) {
      expect(readOpenAiUsage(usage)).to.equal(undefined);
    }
  });

  it('distrusts more than a call can have, by the bound it is given', () => {
    const reading = readOpenAiUsage({ prompt_tokens: 4_000_001 });
    expect(withinBound(reading)?.trusted).to.equal(false);
    expect(withinBound(reading, 5_000_000)?.trusted).to.equal(true);
  });
});
