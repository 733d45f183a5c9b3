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

  it('tells apart how long what is written to a cache lives', () => {
    const details = (more: object) => ({ cached_tokens: 10, cache_write_tokens: 50, ...more });
    const read = (more: object) => readOpenAiUsage({ prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: details(more) });
    expect(read({})).to.have.property('usage').that.includes({ textInput: 40, cacheWrite5m: 50, cacheWrite1h: 0 });
    const long = read({ cache_write_tokens_details: { ttl_30m_tokens: 20, ttl_12h_tokens: 30 } });
    expect(long).to.have.property('usage').that.includes({ textInput: 40, cacheWrite5m: 20, cacheWrite1h: 30 });
    const more = read({ cache_write_tokens_details: { ttl_12h_tokens: 99 } });
    expect(more).to.have.property('usage').that.includes({ textInput: 40, cacheWrite5m: 0, cacheWrite1h: 50 });
    expect(read({ cache_write_tokens_details: { ttl_12h_tokens: -1 } })?.trusted).to.equal(false);
  });

  it('holds what Anthropic used to make a conversation shorter, which its totals leave out', () => {
    const totals = { input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 5 };
    const shorter = {
      type: 'compaction',
      input_tokens: 1000,
      output_tokens: 200,
      cache_creation_input_tokens: 40,
      cache_read_input_tokens: 3,
      cache_creation: { ephemeral_1h_input_tokens: 30 },
    };
    const read = (iterations: unknown) => providerOf(14)?.chat?.usageIn({ usage: { ...totals, iterations } });
    const expected = { textInput: 1100, cachedInput: 8, cacheWrite5m: 10, cacheWrite1h: 30, textOutput: 210 };
    expect(read([{ type: 'message', ...totals }, shorter])).to.deep.equal({ trusted: true, usage: { ...noUsage, ...expected } });
    for (const none of [null, undefined, [], [null], 'x', {}]) expect(read(none)).to.deep.equal(read([]));
    expect(read([{ ...shorter, output_tokens: -1 }])?.trusted).to.equal(false);
  });

  it('tells apart what was read from a cache', () => {
    const details = {
      cached_tokens: 60,
      image_tokens: 50,
      audio_tokens: 40,
      cached_tokens_details: { image_tokens: 20, audio_tokens: 30 },
    };
    const reading = readOpenAiUsage({ prompt_tokens: 200, completion_tokens: 1, prompt_tokens_details: details });
    const expected = { textInput: 100, cachedInput: 10, cachedImage: 20, cachedAudio: 30, imageInput: 30, audioInput: 10, textOutput: 1 };
    expect(reading).to.deep.equal({ trusted: true, usage: { ...noUsage, ...expected } });
    expect(reading?.trusted && toOpenAiUsage(reading.usage).prompt_tokens_details?.cached_tokens).to.equal(60);
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
