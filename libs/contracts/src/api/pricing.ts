/** What one model costs: GET /api/pricing. */
export interface PricingRow {
  model_name: string;
  /** 0 by usage, 1 by the call. */
  quota_type: 0 | 1;
  model_ratio: number;
  /** US dollars a call, when `quota_type` is 1. */
  model_price: number;
  completion_ratio: number;
  owner_by: string;
  enable_groups: string[];
}

/** The answer of GET /api/pricing; it stands beside `success`, as the product family has it. */
export interface PricingView {
  data: PricingRow[];
  group_ratio: Record<string, number>;
  usable_group: Record<string, string>;
}
