import type { ChannelTypeInfo } from '@tollgate/contracts';
import { withoutEnding } from '../model-rules.ts';
import { openaiCompatible } from '../openai/compatible.ts';
import { responsesChat } from '../openai/responses.ts';
import { joinUrl } from '../openai/url.ts';
import type { Provider, Target } from '../provider.ts';

/**
 * Azure's OpenAI service: OpenAI's bodies, with the deployment in the path. A deployment is called like the model, without
 * dots, unless the channel's mapping names it. Source: the Azure OpenAI REST API reference.
 */
export function azure(info: ChannelTypeInfo): Provider {
  /** Used when neither the caller nor the channel names a version. */
  const defaultVersion = info.needs.other?.default ?? '';
  const queryOf = (target: Target): string => {
    const asked = new URLSearchParams(target.query).get('api-version');
    return new URLSearchParams({ 'api-version': asked || target.other || defaultVersion }).toString();
  };
  const provider = openaiCompatible(info, {
    headers: ({ key }) => ({ 'api-key': key }),
    url: ({ task, target }) =>
      joinUrl(target.baseUrl, `/openai/deployments/${encodeURIComponent(deploymentOf(target))}/${task}`, {
        query: queryOf(target),
        gatewayCut: '/openai/deployments',
      }),
    // Source: https://learn.microsoft.com/azure/ai-foundry/openai/how-to/realtime-audio
    realtimeUrl: (target) =>
      joinUrl(target.baseUrl, '/openai/realtime', { query: `${queryOf(target)}&deployment=${encodeURIComponent(deploymentOf(target))}` }),
    models: { url: (target) => `${target.baseUrl}/openai/models?${queryOf({ ...target, query: undefined })}` },
  });
  const responses = responsesChat({ url: (target) => joinUrl(target.baseUrl, '/openai/v1/responses'), modelOf: deploymentOf, info });
  return { ...provider, responses };
}

function deploymentOf(target: Target): string {
  const model = withoutEnding(target.model);
  return target.isMapped ? model : model.replaceAll('.', '');
}
