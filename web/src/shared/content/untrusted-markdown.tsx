import Link from '@mui/material/Link';
import { createContext, memo, type ReactNode, useContext } from 'react';
import { useTranslation } from 'react-i18next';
import ReactMarkdown, { type Components } from 'react-markdown';
import { components, plugins } from './markdown.tsx';

/** Where a link of an answer may lead: elsewhere. Undefined for an address of this site, under any port, and for what runs something. */
export function foreignAddress(text: string | undefined, page: Pick<Location, 'href' | 'hostname'> = location): string | undefined {
  const url = URL.parse(text ?? '', page.href);
  if (url?.protocol === 'mailto:') return url.href;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.hostname === page.hostname) return undefined;
  return url.href;
}

function Away({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} underline="always" target="_blank" rel="noopener noreferrer" referrerPolicy="no-referrer">
      {children}
    </Link>
  );
}

const InLink = createContext(false);

function AnswerLink({ href, children }: { href?: string | undefined; children?: ReactNode }) {
  const address = foreignAddress(href);
  return address === undefined ? (
    children
  ) : (
    <InLink value={true}>
      <Away href={address}>{children}</Away>
    </InLink>
  );
}

/** A picture would load by itself, and tell its host what the answer put into its address. */
function AnswerImage({ src, alt }: { src?: unknown; alt?: string | undefined }) {
  const { t } = useTranslation('shared');
  const isInLink = useContext(InLink);
  const address = typeof src === 'string' && src !== '' ? foreignAddress(src) : undefined;
  const name = t('pictureLink', { name: alt || (address ? new URL(address).host : '') });
  return address === undefined || isInLink ? name : <Away href={address}>{name}</Away>;
}

const untrusted: Components = {
  ...components,
  a: ({ href, children }) => <AnswerLink href={href}>{children}</AnswerLink>,
  img: ({ src, alt }) => <AnswerImage src={src} alt={alt} />,
};

/** Markdown of a model: nothing in it loads by itself, and nothing leads to this site. */
export const UntrustedMarkdownPiece = memo(function UntrustedMarkdownPiece({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={plugins} components={untrusted}>
      {text}
    </ReactMarkdown>
  );
});
