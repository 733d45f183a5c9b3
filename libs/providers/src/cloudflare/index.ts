import type { ChannelTypeInfo } from '@tollgate/contracts';
import { errorFrom, statedError } from '../error-text.ts';
import { memberOf, modelNames } from '../model-names.ts';
import { openaiCompatible } from '../openai/compatible.ts';
import { openAiErrorIn } from '../openai/errors.ts';
import type { JsonObject, Provider, Target } from '../provider.ts';
import type { UpstreamError } from '../upstream-error.ts';
import { completions } from './completions.ts';
import { images, transcription } from './media.ts';

/**
 * Cloudflare Workers AI: OpenAI's bodies below the account that the channel's `other` names, or below its AI gateway's
 * `/workers-ai`. Source: https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility/
 */
export function cloudflare(info: ChannelTypeInfo): Provider {
  const provider = openaiCompatible(info, {
    url: ({ task, target }) => `${aiOf(target)}/v1/${task}`,
    errorIn,
    models: {
      url: (target) => `${aiOf(target)}/models/search`,
      decode: (body) => modelNames(memberOf(body, 'result'), 'name'),
    },
  });
  const place = { run: (target: Target) => `${aiOf(target)}/run/${target.model.replace(/[?#%\\]|\.\.+/g, '')}`, errorIn };
  const heard = transcription(place);
  const written = completions(place);
  return { ...provider, completions: written, transcription: heard, translation: undefined, images: images(place) };
}

/** Its errors come in an envelope of its own, in the midst of streams, too. */
function errorIn(answer: JsonObject): UpstreamError | undefined {
  return answer.success === false ? errorFrom(statedError(answer), { status: 200 }) : openAiErrorIn(answer);
}

function aiOf({ baseUrl, other = '' }: Target): string {
  return baseUrl.endsWith('/workers-ai') ? baseUrl : `${baseUrl}/client/v4/accounts/${encodeURIComponent(other)}/ai`;
}
