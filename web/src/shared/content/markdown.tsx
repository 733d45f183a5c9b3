import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { type ComponentProps, memo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import gfm from 'remark-gfm';
import { CodeBlock } from './code-block.tsx';

const plugins = [gfm];

/** Headings of a text stand below the page's own. */
const components: Components = {
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

/** Markdown (GitHub's), never HTML: tags in it are text, and addresses that could run something are dropped. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <Box
      sx={{
        fontSize: 14,
        lineHeight: 1.65,
        overflowWrap: 'anywhere',
        '& > :first-of-type': { mt: 0 },
        '& > :last-child': { mb: 0 },
        '& h2, & h3, & h4, & h5, & h6': { lineHeight: 1.35, mt: 2.5, mb: 1 },
        '& h2': { fontSize: 20 },
        '& h3': { fontSize: 16.5 },
        '& h4, & h5, & h6': { fontSize: 14.5 },
        '& p, & ul, & ol, & blockquote, & table': { my: 1.25 },
        '& ul, & ol': { pl: 3 },
        '& li': { my: 0.4 },
        '& blockquote': { mx: 0, pl: 1.75, borderLeft: 3, borderColor: 'divider', color: 'text.secondary' },
        '& hr': { border: 0, borderTop: 1, borderColor: 'divider', my: 2.5 },
        '& img': { maxWidth: '100%', height: 'auto', borderRadius: 1 },
        '& table': { borderCollapse: 'collapse', fontSize: 13 },
        '& th, & td': { border: 1, borderColor: 'divider', px: 1.25, py: 0.6, textAlign: 'left' },
        '& :not(pre) > code': { fontSize: '0.9em', bgcolor: 'action.hover', px: 0.6, py: 0.2, borderRadius: 0.75 },
      }}
    >
      <ReactMarkdown remarkPlugins={plugins} components={components}>
        {text}
      </ReactMarkdown>
    </Box>
  );
});
