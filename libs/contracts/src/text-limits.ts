/** The longest text from outside, in characters, that is logged or told in an error. */
const longestOutsideText = 256;

/** A text that somebody else wrote, short enough to be logged or told in an error. */
export function cutText(text: string, most = longestOutsideText): string {
  return text.length <= most ? text : `${beginOf(text, most)}…`;
}

/** As much of a text as fits. Never splits a character in two. */
export function beginOf(text: string, most: number): string {
  const last = text.charCodeAt(most - 1);
  return text.slice(0, text.length > most && last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}

/** An address without the slashes at its end. */
export function withoutEndSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x2f) end -= 1;
  return text.slice(0, end);
}
