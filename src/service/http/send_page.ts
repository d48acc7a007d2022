import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FoundFile } from '../transparency/log_files.ts'
import { send, sendEmpty } from './answers.ts'
import type { Compressed, Page } from './page.ts'

const foreverCache = 'public, max-age=31536000, immutable'

const htmlHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/**
 * Waits for what many may wait for together, then for the turn of the peer: thousands of answers in one step of the event
 * loop would make everybody wait.
 */
export type InTurn = <T>(ready: Promise<T>) => Promise<T>
export type PageSender = (response: ServerResponse, request: IncomingMessage, inTurn: InTurn) => Promise<void>

/** Returns the function that answers with a page. */
export function pageSender(page: Page): PageSender {
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

function contentSender({
  contentType,
  cacheControl = 'no-cache',
  body,
  compressed,
}: Extract<Page, { readonly kind: 'content' }>): PageSender {
  const headers = {
    'content-type': contentType,
    'cache-control': cacheControl,
    ...(contentType.startsWith('text/html') ? htmlHeaders : {}),
  }
  return async (response, request, inTurn) => {
    if (compressed === undefined) return send(response, 200, await inTurn(Promise.try(body)), headers)
    const taken = codingsOf(request)
    const isAsked = codings.some((one) => taken.has(one))
    sendSmallest({ response, request }, headers, {
      body: await body(),
      compressed: isAsked ? await inTurn(compressed()) : {},
    })
  }
}

function fileSender({ contentType, body, compressed }: Extract<Page, { readonly kind: 'file' }>) {
  const headers = {
    'content-type': contentType,
    'cache-control': foreverCache,
  }
  return async (response: ServerResponse, request: IncomingMessage) => {
    sendSmallest({ response, request }, headers, { body, compressed })
  }
}

export function sendFile(response: ServerResponse, { contentType, isForever, body }: FoundFile): void {
  send(response, 200, body, {
    'content-type': contentType,
    'cache-control': isForever ? foreverCache : 'no-cache',
  })
}

const codings = ['br', 'gzip'] as const

/** The first that the client takes of Brotli, gzip and the body as it is (RFC 9110, 12.5.3). */
function sendSmallest(
  { response, request }: { readonly response: ServerResponse; readonly request: IncomingMessage },
  headers: OutgoingHttpHeaders,
  { body, compressed }: { readonly body: Uint8Array; readonly compressed: Compressed },
): void {
  const taken = codingsOf(request)
  const coding = codings.find((one) => compressed[one] !== undefined && taken.has(one))
  const bytes = coding === undefined ? undefined : compressed[coding]
  const vary = { ...headers, vary: 'accept-encoding' }
  if (bytes === undefined) send(response, 200, body, vary)
  else send(response, 200, bytes, { ...vary, 'content-encoding': coding })
}

/** The content codings that a client names, but those that it refuses by `q=0`. */
function codingsOf({ headers: { 'accept-encoding': given = '' } }: IncomingMessage): ReadonlySet<string> {
  const named = given.toString().toLowerCase().replaceAll(/\s/g, '').split(',')
  return new Set(named.filter((one) => !/;q=0(\.0*)?$/.test(one)).map((one) => one.replace(/;.*/, '')))
}
