/** The server may send a content security policy with a nonce for styles; it then puts the nonce into the page. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content || undefined;

// The styles of toasts read it from here as soon as their code runs, so this module stands before all others.
Object.assign(window, { __nonce__: nonce });
