import type { OutgoingHttpHeaders } from 'node:http'

/** What a browser or a person may GET. */
export type Page =
  | {
      readonly kind: 'content'
      readonly path: string
      readonly contentType: string
      /** `no-cache` when it is absent. */
      readonly cacheControl?: string
      readonly body: () => Uint8Array | Promise<Uint8Array>
    }
  /** A file that browsers keep for good, because its path changes with its content. */
  | {
      readonly kind: 'file'
      readonly path: string
      readonly contentType: string
      readonly body: Uint8Array
      /** The body compressed by Brotli, which browsers take from `localhost` and by TLS. */
      readonly brotli: Uint8Array | undefined
    }
  /** A page whose headers and body are made anew for each load. */
  | {
      readonly kind: 'answer'
      readonly path: string
      readonly answer: () => { readonly headers: OutgoingHttpHeaders; readonly body: Uint8Array }
    }
  | { readonly kind: 'redirect'; readonly path: string; readonly to: string }
