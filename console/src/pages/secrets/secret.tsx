import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { CodeBlock } from '../../components/code_block.tsx'
import { Copy } from '../../components/copy.tsx'
import { openExportBundle } from '../../secrets/bundles.ts'
import { keptTarget } from '../../secrets/kept_targets.ts'
import { hexOf } from '../../stamping/encoding.ts'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'

export type SecretKind = 'wallet' | 'privateKey'

type Sealed = { readonly kind: SecretKind; readonly targetPublicKey: string; readonly exportBundle: string }

/** Opens an exported secret when its reader says so, and forgets it when the reader hides it. */
export function Secret({ of: { kind, targetPublicKey, exportBundle } }: { readonly of: Sealed }) {
  const { secrets } = useTexts()
  const session = useSession()
  const open = useMutation({
    gcTime: 0,
    mutationFn: async () => {
      const target = await keptTarget(session, targetPublicKey)
      if (target === undefined) throw new KeyLost()
      return partsOf(kind, await openExportBundle(exportBundle, { target, organizationId: session.organizationId }))
    },
  })
  const labels = kind === 'wallet' ? [secrets.mnemonic, secrets.passphrase] : [secrets.privateKey]
  return (
    <div className="form">
      {open.data?.map((text, index) => (
        <SecretText key={labels[index]} label={labels[index] ?? ''} text={text} />
      ))}
      {open.error !== null && (
        <p role="alert">{open.error instanceof KeyLost ? secrets.keyLost : secrets.bundleRefused}</p>
      )}
      {open.data === undefined ? (
        <Button variant="default" loading={open.isPending} onClick={() => open.mutate()}>
          {secrets.showSecret}
        </Button>
      ) : (
        <Button variant="default" onClick={open.reset}>
          {secrets.hideSecret}
        </Button>
      )}
    </div>
  )
}

/** The key for this export was made in another browser, or before the last log-out, or for another user. */
class KeyLost extends Error {
  override readonly name = 'KeyLost'
}

function SecretText({ label, text }: { readonly label: string; readonly text: string }) {
  const { secretOf } = useTexts().secrets
  return (
    <div>
      <p>
        {label} <Copy text={text} what={label} />
      </p>
      <CodeBlock label={secretOf(label)}>{text}</CodeBlock>
    </div>
  )
}

/** A wallet is its phrase, and a passphrase on a second line where it has one. A private key is its bytes. */
function partsOf(kind: SecretKind, plaintext: Uint8Array): readonly string[] {
  if (kind === 'privateKey') return [hexOf(plaintext)]
  const text = new TextDecoder().decode(plaintext)
  const end = text.indexOf('\n')
  return end === -1 ? [text] : [text.slice(0, end), text.slice(end + 1)]
}
