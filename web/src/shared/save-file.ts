/** Hands a table to the browser as a file; the mark at its beginning tells spreadsheets that it is UTF-8. */
export function saveCsv(name: string, text: string): void {
  saveBlob(`${name}.csv`, new Blob(['\ufeff', text], { type: 'text/csv;charset=utf-8' }));
}

/** Hands plain text to the browser as a file. */
export function saveText(name: string, text: string): void {
  saveBlob(`${name}.txt`, new Blob([text], { type: 'text/plain;charset=utf-8' }));
}

export function saveBlob(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
