/** Counts by bucket. Buckets grow by a fixed factor, so histograms of any processes merge exactly by adding counts. */
export type Histogram = Record<string, number>;

/** Buckets for each doubling of the value: a bucket is 9 % wide. */
const perDoubling = 8;
/** Holds one day in milliseconds. */
const lastBucket = 27 * perDoubling;

/** The bucket of a duration in milliseconds: `2^(bucket/8)` to `2^((bucket+1)/8)`; below 1 ms is bucket 0. */
export function bucketOf(ms: number): number {
  return ms > 1 ? Math.min(lastBucket, Math.floor(Math.log2(ms) * perDoubling)) : 0;
}

export function addToHistogram(sum: Histogram, other: Histogram): void {
  for (const [bucket, count] of Object.entries(other)) sum[bucket] = (sum[bucket] ?? 0) + count;
}

/** The value in milliseconds below which `share` (0 to 1) of the counts lie, within 5 %; undefined for an empty histogram. */
export function percentileOf(histogram: Histogram, share: number): number | undefined {
  const buckets = Object.entries(histogram)
    .map(([bucket, count]): [number, number] => [Number(bucket), count])
    .sort(([one], [other]) => one - other);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return undefined;
  const wanted = Math.max(1, Math.ceil(total * share));
  let below = 0;
  for (const [bucket, count] of buckets) {
    if (below + count >= wanted) return Math.round(2 ** ((bucket + (wanted - below - 0.5) / count) / perDoubling));
    below += count;
  }
  return undefined;
}
