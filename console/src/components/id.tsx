import { useTexts } from '../texts/texts.tsx'
import { Copy } from './copy.tsx'

/** An id or a key: its beginning and end, whole in the title, with a button that copies all of it. */
export function Id({ id, what }: { readonly id: string; readonly what?: string }) {
  const { common } = useTexts()
  return (
    <span className="id">
      <code title={id}>{shortened(id)}</code>
      <Copy text={id} what={what ?? common.id} />
    </span>
  )
}

/** An address, whole: people compare it character by character. */
export function Address({ address, what }: { readonly address: string; readonly what: string }) {
  return (
    <span className="address">
      <code>{address}</code>
      <Copy text={address} what={what} />
    </span>
  )
}

/** The beginning and the end of an id. */
export function shortened(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`
}
