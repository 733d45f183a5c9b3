export function completed<Lockfile extends { packages: object }>(lockfile: Lockfile): Lockfile;
