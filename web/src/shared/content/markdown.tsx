import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { styled } from '@mui/material/styles';
import { type ComponentProps, memo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import gfm from 'remark-gfm';
import { CodeBlock } from './code-block.tsx';

export const plugins = [gfm];

/** Headings of a text stand below the page's own. */
export const components: Components = {
  h1: ({ children }) => <h2>{children}</h2>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  a: ({ href, children }) => (
    <Link href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </Link>
  ),
  img: ({ src, alt }) => <img src={typeof src === 'string' ? src : ''} alt={alt ?? ''} loading="lazy" referrerPolicy="no-referrer" />,
  table: ({ children }) => (
    <Box tabIndex={0} sx={{ overflowX: 'auto' }}>
      <table>{children}</table>
    </Box>
  ),
  pre: ({ children }) => {
    const { className, children: code } = (children as { props: ComponentProps<'code'> }).props;
    return <CodeBlock code={String(code ?? '').replace(/\n$/, '')} language={/language-([\w+-]+)/.exec(className ?? '')?.[1] ?? ''} />;
  },
};

/** The look of Markdown, around one or many pieces of it. */
export const MarkdownBox = styled('div')(({ theme }) => {
  const line = `1px solid ${theme.vars?.palette.divider}`;
  return {
    fontSize: 14,
    lineHeight: 1.65,
    overflowWrap: 'anywhere',
    '& > :first-of-type': { marginTop: 0 },
    '& > :last-child': { marginBottom: 0 },
    '& h2, & h3, & h4, & h5, & h6': { lineHeight: 1.35, margin: '20px 0 8px' },
    '& h2': { fontSize: 20 },
    '& h3': { fontSize: 16.5 },
    '& h4, & h5, & h6': { fontSize: 14.5 },
    '& p, & ul, & ol, & blockquote, & table': { margin: '10px 0' },
    '& ul, & ol': { paddingLeft: 24 },
    '& li': { margin: '3px 0' },
    '& blockquote': { paddingLeft: 14, borderLeft: `3px solid ${theme.vars?.palette.divider}`, color: theme.vars?.palette.text.secondary },
    '& hr': { border: 0, borderTop: line, margin: '20px 0' },
    '& img': { maxWidth: '100%', height: 'auto', borderRadius: 6 },
    '& table': { borderCollapse: 'collapse', fontSize: 13 },
    '& th, & td': { border: line, padding: '5px 10px', textAlign: 'left' },
    '& :not(pre) > code': { fontSize: '0.9em', background: theme.vars?.palette.action.hover, padding: '2px 5px', borderRadius: 4 },
  };
});

/** Markdown (GitHub's), never HTML: tags in it are text, and addresses that could run something are dropped. */
export const MarkdownPiece = memo(function MarkdownPiece({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={plugins} components={components}>
      {text}
    </ReactMarkdown>
  );
});

/** A whole text of Markdown. */
export function Markdown({ text }: { text: string }) {
  return (
    <MarkdownBox>
      <MarkdownPiece text={text} />
    </MarkdownBox>
  );
}
