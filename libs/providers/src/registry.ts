import { type ChannelType, type ChannelTypeInfo, channelTypeInfo } from '@tollgate/contracts';
import { anthropic } from './anthropic/index.ts';
import { azure } from './azure/index.ts';
import { gemini } from './gemini/index.ts';
import { mistral } from './mistral/index.ts';
import { openaiCompatible } from './openai/compatible.ts';
import * as deviations from './openai/deviations.ts';
import type { Provider } from './provider.ts';

/**
 * Channel type -> how it is spoken to. A type whose protocol is not built yet is not here, and `providerOf` says so; callers
 * are told `mode_not_supported`.
 */
export const providers: Partial<Record<ChannelType, Provider>> = {
  1: openaiCompatible(info(1), deviations.openai),
  3: azure(info(3)),
  6: openaiCompatible(info(6)),
  7: openaiCompatible(info(7)),
  8: openaiCompatible(info(8), deviations.customUrl),
  9: openaiCompatible(info(9)),
  10: openaiCompatible(info(10)),
  12: openaiCompatible(info(12)),
  13: openaiCompatible(info(13)),
  14: anthropic(info(14)),
  19: openaiCompatible(info(19)),
  20: openaiCompatible(info(20), deviations.openrouter),
  22: openaiCompatible(info(22), deviations.fastgpt),
  24: gemini(info(24)),
  25: openaiCompatible(info(25), deviations.moonshot),
  27: openaiCompatible(info(27), deviations.perplexity),
  31: openaiCompatible(info(31)),
  40: openaiCompatible(info(40), deviations.siliconflow),
  42: mistral(info(42)),
  43: openaiCompatible(info(43), deviations.deepseek),
  44: openaiCompatible(info(44), deviations.moka),
  45: openaiCompatible(info(45), deviations.ark),
  46: openaiCompatible(info(46), deviations.baiduV2),
  47: openaiCompatible(info(47)),
  48: openaiCompatible(info(48), deviations.xai),
};

/** The provider of a channel type; undefined when none is built for it. */
export function providerOf(type: ChannelType): Provider | undefined {
  return providers[type];
}

function info(type: ChannelType): ChannelTypeInfo {
  const found = channelTypeInfo(type);
  if (found === undefined) throw new Error(`there is no channel type ${type}`);
  return found;
}
