import { joinUrl } from '../openai/url.ts';
import type { Target } from '../provider.ts';

/** Where a method of a model is called. The version is the channel's, else the usual one. */
export function modelUrl(target: Target, method: string): string {
  const version = target.other || 'v1beta';
  return joinUrl(target.baseUrl, `/${version}/models/${encodeURIComponent(modelName(target))}:${method}`);
}

export function modelName({ model }: Target): string {
  return model.replace(/^models\//, '');
}
