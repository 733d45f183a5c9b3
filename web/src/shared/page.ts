import type { ComponentType } from 'react';
import type { Language } from './language.ts';

/** A page as its feature tells of it; the router and the navigation come from this. */
export interface FeaturePage {
  /** The first part of its address. */
  path: string;
  /** What may follow it in the address, as the router writes it. */
  params?: `/:${string}`;
  /** The folder of the feature, and with it its texts. */
  feature:
    | 'dashboard'
    | 'playground'
    | 'chat'
    | 'tokens'
    | 'wallet'
    | 'budgets'
    | 'pricing'
    | 'redemption'
    | 'orders'
    | 'logs'
    | 'channels'
    | 'users'
    | 'settings'
    | 'audit'
    | 'tasks'
    | 'catalog'
    | 'jobs'
    | 'imports'
    | 'system'
    | 'account'
    | 'api-docs'
    | 'steps';
  /** The lowest rank that may open it; `role.guest` is everybody, also who has not signed in. */
  rank: number;
  /** The switch of the site, in its public status, without which the navigation does not show it. */
  shownWith?: 'enable_data_export' | 'enable_drawing' | 'enable_task';
  /** Under which heading the navigation has it; without, it does not. */
  group?: 'workspace' | 'operations' | 'configuration' | 'account';
  icon: ComponentType;
  title: Record<Language, string>;
  load: () => Promise<ComponentType>;
  /** What opens over the page at `add` and at `edit/{id}`. */
  loadEditor?: () => Promise<ComponentType>;
}
