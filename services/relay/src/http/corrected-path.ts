import { isRoute } from '../dialects/routes.ts';

const versions = ['/v1/', '/v1beta/'];
const azurePath = /^\/openai\/deployments\/[^/]+\/./;

/**
 * The path that a client with a wrong base URL means: with doubled slashes, with the version twice or not at all, or below a base URL that another
 * provider uses. Undefined where that is no route, and where `path` needs no correction.
 */
export function correctedPath(path: string): string | undefined {
  const single = path.replaceAll(/\/{2,}/g, '/');
  if (single === path && isRoute(path)) return undefined;
  return candidates(single).find((candidate) => candidate !== path && isRoute(candidate));
}

function candidates(path: string): string[] {
  const at = Math.max(...versions.map((version) => path.lastIndexOf(version)));
  const versioned = at < 0 ? [] : [path.slice(at)];
  const below = path.replace(/^\/(?:v1beta\/openai|v1beta|v1|openai|anthropic)(?=\/)/, '');
  return [
    path,
    ...versioned,
    ...(azurePath.test(path) ? [] : [`/v1${below}`, `/v1beta${below}`]),
    ...endpoints.flatMap((endpoint) => (path.endsWith(`${endpoint}${endpoint}`) ? [`/v1${endpoint}`] : [])),
  ];
}

/** What clients append to a base URL that names the endpoint already. */
const endpoints = ['/chat/completions', '/messages', '/responses', '/embeddings'];
