import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What a process has open: file descriptors in all, and connections (listening ones do not count) by the port of either end. */
export interface Descriptors {
  files: number;
  connections: { localPort: number; remotePort: number }[];
}

const listening = '0A';

export function descriptorsOf(pid: number): Descriptors {
  const tcp = connectionsByInode(pid);
  const connections: Descriptors['connections'] = [];
  let files = 0;
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    files += 1;
    const connection = tcp.get(socketInode(`/proc/${pid}/fd/${name}`));
    if (connection !== undefined) connections.push(connection);
  }
  return { files, connections };
}

/** The inode, or '' when it is no socket, or has been closed meanwhile. */
function socketInode(path: string): string {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.[1] ?? '';
  } catch {
    return '';
  }
}

function connectionsByInode(pid: number): Map<string, { localPort: number; remotePort: number }> {
  const found = new Map<string, { localPort: number; remotePort: number }>();
  for (const table of ['tcp', 'tcp6']) {
    for (const line of readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n').slice(1)) {
      const [, local = '', remote = '', state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state !== listening && inode !== '0' && inode !== '') found.set(inode, { localPort: portIn(local), remotePort: portIn(remote) });
    }
  }
  return found;
}

function portIn(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16);
}
