export function identityOf(pid: number): string | undefined;
export function stillRuns(record: { pid: number; identity: string }): boolean;
