import imageWeights from './data/image-weights.json' with { type: 'json' };

/** How a family of models weighs images, in input tokens. */
export type ImageWeight =
  | { by: 'tiles'; base: number; tile: number }
  | { by: 'patches'; factor: number; most: number }
  | { by: 'pixels'; per: number; most: number }
  | { by: 'crops'; each: number };

/** By the name of the model, as in the prices; `*` is every other model. */
export const imageWeightTable = imageWeights.models as Record<string, ImageWeight>;
