/** What follows /v1/ or /v1beta/ where OpenAI, Anthropic and Google keep something for their callers, or run it for them. */
const families = new Set(
  [
    'assistants batches chatkit containers content_provenance_checks conversations decisions edits evals files fine-tunes',
    'fine_tuning live organization projects skills threads uploads vector_stores videos webhook_endpoints webhook_event_types',
    'agents complete deployment_runs deployments dreams environments memory_stores organizations sessions tunnels user_profiles',
    'vaults auth_tokens cachedContents corpora fileSearchStores interactions operations tunedModels tuningJobs',
  ].flatMap((line) => line.split(' ')),
);

/** Parts of families that are served otherwise. */
const corners = /^\/v1\/(?:audio|chat\/completions|images|messages\/batches|realtime|responses)(?:\/|$)/;

/** What is said to Google by WebSocket: spoken sessions and music. Its own client puts two slashes before it. */
const live = /^\/\/?ws\/google\.ai\.generativelanguage\./;

/** Methods of Google's models that are not served. */
const methods = new Set(
  'asyncBatchEmbedContent batchGenerateContent bidiGenerateContent computeTokens generateAnswer predict predictLongRunning'.split(' '),
);

/**
 * Whether a path that is no route of ours belongs to an API that its callers may well know: it is refused as that, and not as a
 * mistake in an address. Sources: https://platform.openai.com/docs/api-reference, https://docs.anthropic.com/en/api,
 * https://ai.google.dev/api/all-methods, https://ai.google.dev/api/live
 */
export function isElsewhere(method: string, path: string): boolean {
  if (/^\/upload\/v1(?:beta)?\//.test(path) || corners.test(path) || live.test(path)) return true;
  const [, version, family = '', name = ''] = path.split('/', 4);
  if (version !== 'v1' && version !== 'v1beta') return false;
  if (family === 'models' && name !== '')
    return method === 'DELETE' || method === 'PATCH' || methods.has(path.slice(path.lastIndexOf(':') + 1));
  return families.has(family.split(':', 1)[0] ?? '');
}
