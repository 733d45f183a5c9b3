import { type ComponentType, memo, startTransition, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { MarkdownBox } from '../../shared/content/markdown.tsx';
import { UntrustedMarkdownPiece } from '../../shared/content/untrusted-markdown.tsx';

/** Blocks that are drawn between two frames. */
const blocksAtOnce = 2;
/** Beyond this, in characters, one block is shown as it was written: nobody reads such a paragraph, and its markup takes long. */
const longestBlock = 8000;

/** What draws one block. */
type Piece = ComponentType<{ text: string }>;

const Block = memo(function Block({ text, piece: Piece }: { text: string; piece: Piece }) {
  const isTooLong = text.length > longestBlock;
  return <div style={isTooLong ? plainBlock : block}>{isTooLong ? text : <Piece text={text} />}</div>;
});
// What is out of sight is not laid out.
const block = { contentVisibility: 'auto', containIntrinsicSize: 'auto 60px', display: 'flow-root' } as const;
const plainBlock = { ...block, whiteSpace: 'pre-wrap' } as const;

/** An answer as Markdown, drawn a few blocks at a time, so that a long one never holds up the page. */
export function AnswerText({ text, piece = UntrustedMarkdownPiece }: { text: string; piece?: Piece }) {
  // What is drawn of it may wait, and is drawn in slices: a key pressed meanwhile comes first.
  const shown = useDeferredValue(text);
  const blocks = useMemo(() => blocksOf(shown), [shown]);
  const [drawn, setDrawn] = useState(blocksAtOnce);
  useEffect(() => {
    if (drawn >= blocks.length) return;
    const frame = requestAnimationFrame(() => startTransition(() => setDrawn((before) => before + blocksAtOnce)));
    return () => cancelAnimationFrame(frame);
  }, [drawn, blocks.length]);
  return (
    <MarkdownBox>
      {blocks.slice(0, drawn).map((each, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only added at the end
        <Block key={place} text={each} piece={piece} />
      ))}
    </MarkdownBox>
  );
}

/**
 * A Markdown text in pieces that can be drawn one by one: paragraphs, lists and fences of code, none of them split. While a text
 * grows, all of its blocks but the last stay the same.
 */
function blocksOf(text: string): string[] {
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
