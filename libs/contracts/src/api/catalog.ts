import { z } from 'zod';
import { priceSourceKinds } from '../catalog/price-sources.ts';
import { proposalKinds, proposalStatuses } from '../constants.ts';
import { latestExpiry, pageQuery, pageView } from './common.ts';
import { route } from './route.ts';

/** US dollars by class: `input`, `output >200000` and others for a million tokens, `call`, and `per searches` a piece. */
const prices = z.record(z.string(), z.number());

/** What a price source or a provider suggests. Times are unix seconds, 0 while they have not come. */
export const proposalView = z.object({
  id: z.string(),
  /** `facts`: rules and limits of a catalog file; `model`: a channel’s list; `discontinued`: a model that its maker ends. */
  kind: z.enum(proposalKinds),
  action: z.enum(['set', 'add', 'remove']),
  status: z.enum(proposalStatuses),
  model: z.string(),
  channels: z.array(z.object({ id: z.number(), name: z.string() })),
  source: z.string(),
  /** Why it waits or is in quarantine: `rise`, `fall`, `new`, `dated`, `free`, `unpriced`, `unit`, `odd`, `currency`, `last_model`. */
  reasons: z.array(z.string()),
  before: prices,
  after: prices,
  /** What the tokens of the last 30 days cost by either price, in US dollars, before ratios of groups; 0 for none. */
  cost_before: z.number(),
  cost_after: z.number(),
  created_time: z.number(),
  effective_time: z.number(),
  decided_time: z.number(),
  decided_by: z.string(),
});
export type ProposalView = z.infer<typeof proposalView>;

export const listProposalsQuery = pageQuery.extend({
  status: z.enum(proposalStatuses).optional().catch(undefined),
  kind: z.enum(proposalKinds).optional().catch(undefined),
});
export type ListProposalsQuery = z.infer<typeof listProposalsQuery>;

export const decideProposalsBody = z.object({
  ids: z.array(z.string().min(1).max(600)).min(1).max(500),
  action: z.enum(['approve', 'reject']),
  /** Of prices: when they take effect, in unix seconds; at once without it. */
  effective_time: z.int().min(0).max(latestExpiry).optional(),
});
export type DecideProposalsBody = z.infer<typeof decideProposalsBody>;

/** What became of a file: prices taken at once, prices that wait for approval, and those in quarantine. */
export const takenFile = z.object({ listed: z.number(), applied: z.number(), waiting: z.number(), quarantined: z.number() });
export type TakenFile = z.infer<typeof takenFile>;

export const uploadCatalogBody = z.object({
  kind: z.enum(priceSourceKinds),
  /** The file: JSON. */
  text: z.string().min(2).max(1_900_000),
  /** Nothing is stored; the response shows what would change. */
  dry_run: z.boolean().default(false),
});
export type UploadCatalogBody = z.input<typeof uploadCatalogBody>;

export const priceSourceView = z.object({
  name: z.string(),
  kind: z.enum(priceSourceKinds),
  url: z.string(),
  /** Unix seconds of the last reading; 0: never. */
  last_time: z.number(),
  /** Why the last reading failed; '' when it did not. */
  error: z.string(),
  ...takenFile.shape,
});
export type PriceSourceView = z.infer<typeof priceSourceView>;

export const priceHistoryView = z.array(z.object({ time: z.number(), prices }));
export type PriceHistoryView = z.infer<typeof priceHistoryView>;

export const catalogRoutes = {
  'GET /api/catalog/proposal': route({
    summary: 'What price sources and providers suggest, the newest first',
    access: 'root',
    query: listProposalsQuery,
    answer: pageView(proposalView),
    example: { query: { status: 'waiting', p: 1, page_size: 20 } },
  }),
  'POST /api/catalog/proposal': route({
    summary: 'Approves or rejects suggestions',
    access: 'root',
    body: decideProposalsBody,
    answer: z.object({ decided: z.number() }),
    example: { body: { ids: ['price:0:gpt-4.1'], action: 'approve' } },
  }),
  'GET /api/catalog/source': route({
    summary: 'The price sources, and what their last reading came to',
    access: 'root',
    answer: z.array(priceSourceView),
  }),
  'POST /api/catalog/sync': route({ summary: 'Reads all price sources and the models of all channels now', access: 'root' }),
  'POST /api/catalog/upload': route({
    summary: 'Takes a catalog or price file',
    access: 'root',
    body: uploadCatalogBody,
    answer: takenFile,
    example: { body: { kind: 'catalog', text: '{"version":1,"families":{},"models":[]}', dry_run: true } },
  }),
  'GET /api/pricing/history': route({
    summary: 'How the price of a model has changed, the newest first',
    access: 'visitor',
    csrfExempt: true,
    query: z.object({ model: z.string().min(1).max(255) }),
    answer: priceHistoryView,
    example: { query: { model: 'gpt-4.1' } },
  }),
};
