/** A part of the page whose code or texts did not arrive: the server is out of reach, or has newer pages than this one. */
export class PartMissing extends Error {
  readonly isUpgraded: boolean;

  constructor(isUpgraded: boolean, cause: unknown) {
    super('a part of the page could not be loaded', { cause });
    this.isUpgraded = isUpgraded;
  }
}

const pauseMs = 400;

/**
 * Loads code or texts that are not part of the first load. What fails is asked for once more, a moment later. Throws `PartMissing`.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  try {
    return await load();
  } catch (error) {
    throw new PartMissing(await isUpgraded(), error);
  }
}

/** Whether the server now serves other pages than this one: then the files of this one are gone. */
async function isUpgraded(): Promise<boolean> {
  const entry = document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.getAttribute('src');
  if (!entry) return false;
  try {
    const answer = await fetch('/', { cache: 'no-store', signal: AbortSignal.timeout(5000) });
    return answer.ok && !(await answer.text()).includes(entry);
  } catch {
    return false;
  }
}
