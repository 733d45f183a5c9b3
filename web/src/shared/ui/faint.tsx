/** Words that say that there is nothing to say: "never", "unlimited", a dash. */
export function Faint({ children }: { children: string }) {
  return <span className="faint">{children}</span>;
}
