/** Stands in for what draws the ripples of buttons (vite.config.ts), which nothing asks for. */
// biome-ignore lint/style/noDefaultExport: what it stands in for is one
export default function NoRipple(): null {
  return null;
}
