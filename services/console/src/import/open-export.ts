import { exportFormat, exportTable, portableWith, secretColumns } from './portable.ts';
import type { Source, SourceRow, SourceSecrets } from './source.ts';

const secrets = new Set(Object.values(secretColumns).flat());

/** An export of Tollgate with its secrets decrypted. Throws an Error without the passphrase, or with another one. */
export async function openExport(source: Source, { secret = '' }: SourceSecrets): Promise<Source> {
  const [head] = await source.select(`SELECT * FROM "${exportTable}"`);
  if (Number(head?.format) !== exportFormat) throw new Error('--from: this export was made by a later release of Tollgate.');
  if (secret === '') throw new Error('--from: this is an export of Tollgate: its passphrase is needed (TOLLGATE_PASSPHRASE).');
  const portable = portableWith(secret, String(head?.salt));
  const decrypted = ([column, value]: [string, unknown]) => [
    column,
    secrets.has(column) && typeof value === 'string' ? portable.decrypt(value, column) : value,
  ];
  const read = (row: SourceRow): SourceRow => Object.fromEntries(Object.entries(row).map(decrypted as never));
  try {
    read(head as SourceRow);
  } catch (cause) {
    throw new Error('--from: this is not the passphrase of the export, or the file is damaged.', { cause });
  }
  return {
    ...source,
    product: 'tollgate',
    select: async (sql, values) => (await source.select(sql, values)).map(read),
  };
}
