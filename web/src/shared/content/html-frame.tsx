import { styled, useColorScheme, useTheme } from '@mui/material/styles';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';

const Frame = styled('iframe')({ display: 'block', width: '100%', border: 0 });

/**
 * HTML that an administrator wrote, as tall as it is, in the colours of the page. Nothing in it can run: the sandbox allows no scripts
 * and no forms. That it has our origin lets this side measure it, and gives nothing to something that cannot act.
 */
export function HtmlFrame({ html, title, align = 'start' }: { html: string; title: string; align?: 'start' | 'center' }) {
  const [height, setHeight] = useState(40);
  const colors = useColors();
  const page = useMemo(() => pageOf(html, colors, align), [html, colors, align]);
  const observer = useRef<ResizeObserver>(undefined);
  useEffect(() => () => observer.current?.disconnect(), []);
  const measure = useCallback((frame: HTMLIFrameElement): void => {
    const body = frame.contentDocument?.body;
    if (!body) return;
    observer.current?.disconnect();
    observer.current = new ResizeObserver(() => setHeight(Math.ceil(body.getBoundingClientRect().height)));
    observer.current.observe(body);
  }, []);
  return (
    <Frame
      title={title}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      srcDoc={page}
      onLoad={(event) => measure(event.currentTarget)}
      // Another scheme than the frame's own would give it a ground of its own.
      style={{ height, colorScheme: colors.scheme }}
    />
  );
}

interface Colors {
  scheme: 'light' | 'dark';
  text: string;
  link: string;
}

interface WithSchemes {
  colorSchemes?: Record<string, { palette: { text: { primary: string }; primary: { main: string } } }>;
}

function useColors(): Colors {
  const { mode, systemMode } = useColorScheme();
  const scheme = (mode === 'system' ? systemMode : mode) === 'dark' ? 'dark' : 'light';
  const palette = (useTheme() as WithSchemes).colorSchemes?.[scheme]?.palette;
  const text = palette?.text.primary ?? '';
  const link = palette?.primary.main ?? '';
  return useMemo(() => ({ scheme, text, link }), [scheme, text, link]);
}

const safeAddress = /^(?:https?:|mailto:|#)/i;

/** A whole page around the text: links open beside ours, styles carry the nonce without which the policy refuses them. */
function pageOf(html: string, { scheme, text, link }: Colors, align: string): string {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
  // Before it is parsed: a style that has none yet is refused, and said to be, already then.
  const page = new DOMParser().parseFromString(html.replaceAll(/<style(?=[\s>])/gi, `<style nonce="${nonce}"`), 'text/html');
  for (const each of page.querySelectorAll('script, base, meta, link, object, embed')) each.remove();
  for (const each of page.querySelectorAll('a[href], area[href]')) {
    const address = each.getAttribute('href')?.trim() ?? '';
    if (!safeAddress.test(address) && !address.startsWith('/')) each.removeAttribute('href');
    if (address.startsWith('#')) continue;
    each.setAttribute('target', '_blank');
    each.setAttribute('rel', 'noopener noreferrer');
  }
  const ours = page.createElement('style');
  ours.setAttribute('nonce', nonce);
  ours.textContent = `html{color-scheme:${scheme}}body{margin:0;display:flow-root;background:transparent;color:${text};font:14px/1.6 system-ui,sans-serif;overflow-wrap:anywhere;text-align:${align}}body>:first-child{margin-top:0}body>:last-child{margin-bottom:0}a{color:${link}}img{max-width:100%;height:auto}`;
  page.head.prepend(ours);
  for (const each of page.querySelectorAll('*')) {
    // Refused in any case; without them the browser has nothing to complain of.
    for (const { name } of [...each.attributes]) if (/^on/i.test(name)) each.removeAttribute(name);
  }
  return `<!doctype html>${page.documentElement.outerHTML}`;
}
