/**
 * A Markdown text in pieces that can be drawn one by one: paragraphs, lists and fences of code, none of them split. While a text
 * grows, all of its blocks but the last stay the same.
 */
export function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let begin = 0;
  let fence = '';
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end);
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && fence === '') fence = mark;
    else if (mark?.startsWith(fence) && fence !== '' && line.trim() === mark) fence = '';
    const next = end < 0 ? text.length : end + 1;
    // A blank line ends a block, but where an indented line goes on with it, as in lists.
    if (fence === '' && line.trim() === '' && at > begin && next < text.length && !/^[ \t]/.test(text.slice(next, next + 1))) {
      blocks.push(text.slice(begin, at));
      begin = next;
    }
    at = next;
  }
  if (begin < text.length) blocks.push(text.slice(begin));
  return blocks;
}
