/** Words that say that there is nothing to say: "never", "unlimited". */
export function Faint({ children }: { children: string }) {
  return <span className="faint">{children}</span>;
}

/** What a cell shows where there is nothing. */
export function Nothing() {
  return <Faint>—</Faint>;
}
