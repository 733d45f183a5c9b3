import type { ComponentType } from 'react';
import type { FeaturePage } from '../shared/page.ts';
import { loadPart } from '../shared/parts.ts';
import { loadTexts } from './i18n.ts';

export type Texts = FeaturePage['feature'] | 'session' | 'door' | 'site';

/** Code and texts of a page, both loaded when someone goes there, side by side. */
export async function loadWithTexts(texts: Texts | Texts[], load: () => Promise<ComponentType>): Promise<ComponentType> {
  const [Component] = await Promise.all([loadPart(load), ...[texts].flat().map(loadTexts)]);
  return Component;
}

/** The same for a page of the router. */
export type LoadPage = (texts: Texts | Texts[], load: () => Promise<ComponentType>) => Promise<{ Component: ComponentType }>;
