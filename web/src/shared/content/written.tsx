import Skeleton from '@mui/material/Skeleton';
import { Suspense } from 'react';
import { lazyPart } from '../ui/lazy-part.tsx';
import { FramedPage } from './framed-page.tsx';
import { HtmlFrame } from './html-frame.tsx';
import { kindOfWriting } from './kind-of-writing.ts';

const Markdown = lazyPart(async () => (await import('./markdown.tsx')).Markdown, { suspends: true });

/** What an administrator wrote: a page at an address and HTML stand in frames that can do nothing to ours, all else is Markdown. */
export function Written({ text, title }: { text: string; title: string }) {
  const kind = kindOfWriting(text);
  if (kind === 'address') return <FramedPage url={text.trim()} title={title} />;
  if (kind === 'html') return <HtmlFrame html={text} title={title} />;
  return (
    <Suspense fallback={<Skeleton variant="rounded" height={120} />}>
      <Markdown text={text} />
    </Suspense>
  );
}
