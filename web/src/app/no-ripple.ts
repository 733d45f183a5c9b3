/** Stands in for what draws the ripples of buttons (vite.config.ts), which nothing asks for. */
export default function NoRipple(): null {
  return null;
}
