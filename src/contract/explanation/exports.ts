import type { Steps } from '../../protocol/tools/steps.ts'
import { changesContent } from './changes.ts'
import type { Content } from './content.ts'
import type { Now } from './explain_context.ts'
import type { Value } from './explanation.ts'
import { address, code, flag, hex, list, listed, row, rowsOf } from './shown_values.ts'

type Exporting = {
  /** The name of the operation. */
  readonly code: string
  readonly exported: Value
  /** The secret that leaves, as a code of `labels` in `label_texts.ts`. */
  readonly secret: 'mnemonicOfWallet' | 'keyOfAccount' | 'privateKeyItself'
  readonly addresses?: readonly string[]
  /** Undefined: the record is gone. */
  readonly wasExported: boolean | undefined
  /** In hex. */
  readonly targetPublicKey: string
}

/** Explains an export: the secret that leaves, and the key to which it is encrypted. */
export function exportContent(
  { code: name, exported, secret, addresses = [], wasExported, targetPublicKey }: Exporting,
  now: Pick<Now, 'isBefore'>,
): Steps<Content> {
  return changesContent(now, {
    code: name,
    subject: [exported],
    rows: [
      row('exported', exported),
      row('leaves', code(secret)),
      ...rowsOf({
        addresses: addresses.length === 0 ? undefined : list(listed(addresses, (one) => address(one))),
        // An export that ran has set it itself.
        exportedBefore: now.isBefore && wasExported !== undefined ? flag(wasExported) : undefined,
      }),
      row('exportedTo', hex(targetPublicKey)),
    ],
  })
}
