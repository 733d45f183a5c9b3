import { hostedNames } from '@tollgate/contracts/catalog';
import type { Target } from '../provider.ts';

const endpoints = new Map([
  ['v1.1', { path: '/v1.1/chat', domain: 'lite' }],
  ['v2.1', { path: '/v2.1/chat', domain: 'generalv2' }],
  ['v3.1', { path: '/v3.1/chat', domain: 'generalv3' }],
  ['v3.5', { path: '/v3.5/chat', domain: 'generalv3.5' }],
  ['v4.0', { path: '/v4.0/chat', domain: '4.0Ultra' }],
  ['v3.1-128K', { path: '/chat/pro-128k', domain: 'pro-128k' }],
  ['v3.5-32K', { path: '/chat/max-32k', domain: 'max-32k' }],
]);

/** Which version is called, where, and under which name: the caller's, else the model's, else the channel's, else the default. */
export function endpointOf({ model, query, other }: Target, defaultVersion: string): { path: string; domain: string } {
  const asked = new URLSearchParams(query).get('api-version');
  const named = hostedNames.spark[model] ?? /^[^-]+-(v[\w.]+)$/.exec(model)?.[1];
  const version = [asked, named, other].find((one) => one && /^v?[\w.-]{1,20}$/.test(one)) || defaultVersion;
  return endpoints.get(version) ?? { path: `/${version}/chat`, domain: `general${version}` };
}

/** Versions that know a system's message and functions. */
export function isLater(domain: string): boolean {
  return /^(?:generalv3\.5|4\.0Ultra|max-32k)$/.test(domain);
}
