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
      /** Whether the path has another name as soon as the content changes. It is sent compressed, and kept for good. */
      readonly isImmutable?: true
    }
  /** A page whose headers and body are made anew for each load. */
  | {
      readonly kind: 'answer'
      readonly path: string
      readonly answer: () => { readonly headers: OutgoingHttpHeaders; readonly body: Uint8Array }
    }
  | { readonly kind: 'redirect'; readonly path: string; readonly to: string }
