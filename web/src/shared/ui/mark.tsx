/** The site's own logo or, where it has none, the gate. */
export function Mark({ logo, size }: { logo: string; size: number }) {
  return <img src={logo || '/favicon.svg'} alt="" width={size} height={size} style={{ display: 'block', objectFit: 'contain' }} />;
}
