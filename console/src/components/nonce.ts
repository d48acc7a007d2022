/** The nonce that the server put into this page, which the Content-Security-Policy of the page wants of each style. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}
