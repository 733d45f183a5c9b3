import { expect } from 'chai';
import type { Limits } from '../src/config.ts';
import type { AskedCall } from '../src/context/call.ts';
import { patienceFor } from '../src/upstream/attempt.ts';

describe('How long a provider may be silent', () => {
  const limits = { UPSTREAM_FIRST_BYTE_MS: 1000, UPSTREAM_SILENCE_MS: 300 } as Limits;
  const patience = (upstreamModel: string, effort?: string) => patienceFor(limits, { upstreamModel, effort } as AskedCall);

  it('is doubled, first and later, for models that think long before they speak', () => {
    const slow = ['o1', 'o3-mini', 'o4-mini-deep-research', 'gpt-5-pro', 'gpt-5.2-pro', 'deepseek-reasoner', 'deepseek-ai/DeepSeek-R1'];
    slow.push('qwq-32b', 'qvq-max', 'kimi-k2-thinking', 'magistral-medium', 'claude-3-7-sonnet-20250219-thinking', 'grok-4-fast-reasoning');
    for (const model of slow) expect(patience(model), model).to.deep.equal({ firstByteMs: 2000, silenceMs: 600 });
  });
  it('is doubled where the call asks for much thought, whatever the model', () => {
    for (const effort of ['high', 'xhigh', 'max']) expect(patience('gpt-5', effort).firstByteMs, effort).to.equal(2000);
    for (const effort of ['none', 'low', 'medium']) expect(patience('gpt-5', effort).firstByteMs, effort).to.equal(1000);
  });
  it('is the ordinary one for all others', () => {
    for (const model of ['gpt-4o', 'gpt-5-mini', 'claude-opus-4', 'gemini-2.5-pro', 'llama-r100', 'solo1']) {
      expect(patience(model), model).to.deep.equal({ firstByteMs: 1000, silenceMs: 300 });
    }
  });
});
