/** An integer with its thousands grouped. */
export function formatCount(value: number): string {
  return grouped(value, 0, 0);
}

/** By their digits: to make one costs more than to format hundreds of numbers. */
const groupings = new Map<number, Intl.NumberFormat>();

/** A number with its thousands grouped and at least `least`, at most `most` decimals. */
export function grouped(value: number, least: number, most: number): string {
  const digits = least * 100 + most;
  let grouping = groupings.get(digits);
  if (!grouping) {
    grouping = new Intl.NumberFormat('en-US', { minimumFractionDigits: least, maximumFractionDigits: most });
    groupings.set(digits, grouping);
  }
  return grouping.format(value);
}
