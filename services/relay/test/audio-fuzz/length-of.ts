import { AppError } from '@tollgate/runtime';
import { soundLength } from '../../src/request/audio-length.ts';
import { type Spool, spools } from '../../src/request/spool.ts';

const bounds = { take: () => undefined, letGo: () => undefined };

/** How long a file is that lies between other bytes, as one of a form does; `refused`: it contradicts itself. */
export async function lengthOf(bytes: Buffer): Promise<number | undefined | 'refused'> {
  const spool: Spool = spools({ directory: '/tmp', maxBytes: 1 << 30 }).open(bounds);
  try {
    await spool.write(Buffer.from('before'));
    const from = spool.length;
    await spool.write(bytes);
    await spool.write(Buffer.from('behind'));
    return await soundLength(spool, { field: 'file', name: 'a', type: '', from, to: from + bytes.length });
  } catch (error) {
    if (error instanceof AppError) return 'refused';
    throw error;
  } finally {
    spool.close();
  }
}
