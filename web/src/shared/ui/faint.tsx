/** Words that say that there is nothing to say: "never", "unlimited". */
export function Faint({ children }: { children: string }) {
  return <span className="faint">{children}</span>;
}

/** Who it was, by a name that may be somebody else's tomorrow and the number that stays. */
export function NumberedName({ name, id }: { name: string; id: number }) {
  return (
    <>
      {name} <Faint>{`#${id}`}</Faint>
    </>
  );
}

/** What a cell shows where there is nothing. */
export function Nothing() {
  return <Faint>—</Faint>;
}
