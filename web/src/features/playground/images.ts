export const mostImages = 4;
/** Of one picture. The gateway takes larger requests, but a browser that keeps several of these grows slow. */
const mostBytes = 8 << 20;

/** Pictures as data: addresses; how many were refused for what or how large they are, or for there being too many. */
export async function readImages(files: Iterable<File>, room: number): Promise<{ read: string[]; refused: number }> {
  const all = [...files];
  const fitting = all.filter(({ type, size }) => type.startsWith('image/') && size <= mostBytes).slice(0, Math.max(0, room));
  const read = await Promise.all(fitting.map(dataAddress));
  return { read: [...new Set(read)], refused: all.length - fitting.length };
}

function dataAddress(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('the picture could not be read'));
    reader.readAsDataURL(file);
  });
}
