import type { IncomingMessage, ServerResponse } from 'node:http'
import { send, sendEmpty } from './answers.ts'
import type { Page } from './page.ts'

const htmlHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/** Returns the function that answers with a page. */
export function pageSender(page: Page): (response: ServerResponse, request: IncomingMessage) => Promise<void> {
  switch (page.kind) {
    case 'redirect':
      return async (response) => sendEmpty(response, 302, { location: page.to, 'content-length': 0 })
    case 'answer':
      return async (response) => {
        const { headers, body } = page.answer()
        send(response, 200, body, headers)
      }
    case 'content':
      return contentSender(page)
    case 'file':
      return fileSender(page)
  }
}

function contentSender({ contentType, cacheControl = 'no-cache', body }: Extract<Page, { readonly kind: 'content' }>) {
  return async (response: ServerResponse) => {
    send(response, 200, await body(), {
      'content-type': contentType,
      'cache-control': cacheControl,
      ...(contentType.startsWith('text/html') ? htmlHeaders : {}),
    })
  }
}

function fileSender({ contentType, body, brotli }: Extract<Page, { readonly kind: 'file' }>) {
  const headers = {
    'content-type': contentType,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  }
  return async (response: ServerResponse, request: IncomingMessage) => {
    const isTaken = /\bbr\b/.test(request.headers['accept-encoding']?.toString() ?? '')
    if (isTaken && brotli !== undefined) send(response, 200, brotli, { ...headers, 'content-encoding': 'br' })
    else send(response, 200, body, headers)
  }
}
