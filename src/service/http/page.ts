import type { OutgoingHttpHeaders } from 'node:http'

/** A body by the content codings of HTTP. Browsers take Brotli from `localhost` and by TLS, and gzip everywhere. */
export type Compressed = { readonly br?: Uint8Array | undefined; readonly gzip?: Uint8Array | undefined }

/** A page that a browser or a person may GET. */
export type Page =
  | {
      readonly kind: 'content'
      readonly path: string
      readonly contentType: string
      /** `no-cache` when it is absent. */
      readonly cacheControl?: string
      readonly body: () => Uint8Array | Promise<Uint8Array>
      /** Absent: the body is sent as it is. */
      readonly compressed?: () => Promise<Compressed>
    }
  /** A file that browsers keep for good, because its path changes with its content. */
  | {
      readonly kind: 'file'
      readonly path: string
      readonly contentType: string
      readonly body: Uint8Array
      readonly compressed: Compressed
    }
  /** A page whose headers and body are made anew for each load. */
  | {
      readonly kind: 'answer'
      readonly path: string
      readonly answer: () => { readonly headers: OutgoingHttpHeaders; readonly body: Uint8Array }
    }
  | { readonly kind: 'redirect'; readonly path: string; readonly to: string }
