/** What a text of an administrator is: the https address of a page, HTML when it begins with a tag, else Markdown. */
export function kindOfWriting(text: string): 'address' | 'html' | 'markdown' {
  const written = text.trim();
  if (/^https:\/\/\S+$/i.test(written) && URL.canParse(written)) return 'address';
  return /^<(?:[a-z][a-z0-9-]*[\s/>]|!doctype\s|!--)/i.test(written) ? 'html' : 'markdown';
}
