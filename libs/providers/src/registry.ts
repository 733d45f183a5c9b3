import { type ChannelType, type ChannelTypeInfo, channelTypes } from '@tollgate/contracts';
import { aiproxyLibrary } from './aiproxy-library/index.ts';
import { anthropic } from './anthropic/index.ts';
import { azure } from './azure/index.ts';
import { baidu } from './baidu/index.ts';
import { bedrock } from './bedrock/index.ts';
import { cloudflare } from './cloudflare/index.ts';
import { cohere } from './cohere/index.ts';
import { dify } from './dify/index.ts';
import { gemini } from './gemini/index.ts';
import { midjourneyProxy } from './midjourney-proxy/index.ts';
import { minimax } from './minimax/index.ts';
import { mistral } from './mistral/index.ts';
import { ollama } from './ollama/index.ts';
import { type Differences, openaiCompatible } from './openai/compatible.ts';
import { dashscope, dashscopeError } from './openai/dashscope.ts';
import * as dashscopeMedia from './openai/dashscope-media.ts';
import { deepseek } from './openai/deepseek.ts';
import * as deviations from './openai/deviations.ts';
import { xai } from './openai/xai.ts';
import { palm } from './palm/index.ts';
import type { Provider } from './provider.ts';
import { spark } from './spark/index.ts';
import { suno } from './suno/index.ts';
import { tencent } from './tencent/index.ts';
import { vertex } from './vertex/index.ts';
import { zhipuV3 } from './zhipu/v3.ts';
import { zhipuV4 } from './zhipu/v4.ts';

/** How a provider is made, by the protocol that its channel types name. */
const constructors = new Map<string, (info: ChannelTypeInfo) => Provider>([
  ['openai', openaiCompatible],
  ['openai-custom-url', deviating(deviations.customUrl)],
  ['openai-embeddings-noversion', deviating(deviations.moka)],
  ['aiproxy-library', aiproxyLibrary],
  ['azure-openai', azure],
  ['anthropic', anthropic],
  ['gemini', gemini],
  ['baidu-v1', baidu],
  ['bedrock-claude', bedrock],
  ['cloudflare', cloudflare],
  ['cohere', cohere],
  ['dify', dify],
  ['midjourney-proxy', midjourneyProxy],
  ['minimax', minimax],
  ['mistral', mistral],
  ['ollama', ollama],
  ['palm', palm],
  ['suno-api', suno],
  ['tencent-hunyuan', tencent],
  ['vertex', vertex],
  ['xunfei-ws', spark],
  ['zhipu-v3', zhipuV3],
  ['zhipu-v4', zhipuV4],
  ['baidu-v2', deviating(deviations.baiduV2)],
  ['dashscope', (info) => ({ ...openaiCompatible(info, dashscope), ...dashscopeMedia, error: dashscopeError })],
  ['deepseek', deviating(deepseek)],
  ['fastgpt', deviating(deviations.fastgpt)],
  ['jina', deviating(deviations.jina)],
  ['moonshot', deviating(deviations.moonshot)],
  ['openrouter', deviating(deviations.openrouter)],
  ['perplexity', deviating(deviations.perplexity)],
  ['siliconflow', deviating(deviations.siliconflow)],
  ['volcengine-ark', deviating(deviations.ark)],
  ['xai', deviating(xai)],
]);

/**
 * Channel type -> how it is spoken to. A type whose protocol is not built yet is not here, and `providerOf` says so; callers
 * are told `mode_not_supported`.
 */
export const providers: ReadonlyMap<ChannelType, Provider> = new Map(
  channelTypes.flatMap((info) => {
    const make = constructors.get(info.protocol);
    return make === undefined ? [] : [[info.type, make(info)]];
  }),
);

/** The provider of a channel type; undefined when none is built for it. */
export function providerOf(type: ChannelType): Provider | undefined {
  return providers.get(type);
}

/** How a model is spoken to: on a platform with models of several makers that depends on the model. */
export function spokenBy(provider: Provider, model: string): Provider {
  return provider.byModel?.(model) ?? provider;
}

function deviating(differences: Differences): (info: ChannelTypeInfo) => Provider {
  return (info) => openaiCompatible(info, differences);
}
