import { strict as assert } from 'node:assert'
import { hash } from 'node:crypto'
import { eciesEncrypt } from '../crypto/ecies.ts'
import { randomScalar, type SplitSecret, splitSecret } from '../crypto/feldman.ts'
import { isPublicKey } from '../crypto/secp256k1.ts'
import { SecretBytes } from '../crypto/secret_bytes.ts'
import { fieldInvalid } from '../wire/failures.ts'

export type OperatorRecipient = {
  /** Echoed unchanged; a real id has 64 hex digits. */
  readonly operatorId: string
  /** The operator's identity key: a compressed point of secp256k1 in hex. */
  readonly encryptionPublicKey: string
}

export type LightningReceiveRequest = {
  readonly threshold: number
  readonly operatorRecipients: readonly OperatorRecipient[]
}

export type LightningReceive = {
  /** In the order of the recipients; each package is hex. */
  readonly operatorPackages: readonly { readonly operatorId: string; readonly encryptedPackage: string }[]
  /** SHA-256 of the preimage in lower-case hex. */
  readonly paymentHash: string
}

/** Spark runs on a handful of operators. */
export const operatorRecipientsMax = 64

/** If one operator could release the preimage, it would be no shared secret. Clients refuse a threshold of one too. */
export const lightningThresholdMin = 2

/** Checks what a schema cannot. `fieldPath` is the path of this object in the body. Throws FIELD_INVALID. */
export function checkLightningReceive(
  { threshold, operatorRecipients }: LightningReceiveRequest,
  { fieldPath }: { readonly fieldPath: string },
): void {
  checkRecipients(operatorRecipients, `${fieldPath}.operatorRecipients`)
  const countMax = operatorRecipients.length
  if (Number.isInteger(threshold) && threshold >= lightningThresholdMin && threshold <= countMax) return
  const expected = `a whole number from ${lightningThresholdMin} to the number of operatorRecipients`
  throw fieldInvalid(`${fieldPath}.threshold`, expected)
}

/**
 * Makes the preimage of a Lightning payment, splits it among the operators and erases it. Any `threshold` operators can
 * release it together. The preimage is a scalar of secp256k1, because the operators rebuild it as one. The request must
 * have passed `checkLightningReceive`.
 */
export function prepareLightningReceive({
  threshold,
  operatorRecipients,
  randomBytes,
}: LightningReceiveRequest & { readonly randomBytes: (size: number) => Uint8Array }): LightningReceive {
  const sharesCount = operatorRecipients.length
  assert(threshold >= lightningThresholdMin && sharesCount <= operatorRecipientsMax, 'checked before')
  using preimage = randomScalar(randomBytes)
  using split = splitSecret({ secret: preimage, threshold, sharesCount, randomBytes })
  const operatorPackages = operatorRecipients.map(({ operatorId, encryptionPublicKey }, position) => {
    const receiver = readPublicKey(encryptionPublicKey)
    assert(receiver !== undefined, 'checked before')
    using message = secretShareMessage(split, position)
    const encrypted = eciesEncrypt({ receiver, plaintext: message, randomBytes })
    return { operatorId, encryptedPackage: Buffer.from(encrypted).toString('hex') }
  })
  return { operatorPackages, paymentHash: hash('sha256', preimage.reveal(), 'hex') }
}

function checkRecipients(recipients: readonly OperatorRecipient[], fieldPath: string): void {
  const seen = new Set<string>()
  for (const [position, { operatorId, encryptionPublicKey }] of recipients.entries()) {
    const at = `${fieldPath}[${position}]`
    if (operatorId === '' || seen.has(operatorId)) {
      const expected = 'an id that no other operator of the list has'
      throw fieldInvalid(`${at}.operatorId`, expected)
    }
    seen.add(operatorId)
    if (readPublicKey(encryptionPublicKey) === undefined) {
      const expected = 'a compressed public key of secp256k1 in hex'
      throw fieldInvalid(`${at}.encryptionPublicKey`, expected)
    }
  }
}

function readPublicKey(text: string): Uint8Array | undefined {
  if (!/^0[23][0-9a-f]{64}$/i.test(text)) return undefined
  const bytes = Buffer.from(text, 'hex')
  return isPublicKey(bytes) ? bytes : undefined
}

/** Protocol Buffers: `SecretShare { bytes secret_share = 1; repeated bytes proofs = 2; }` of spark.proto. */
function secretShareMessage({ shares, proofs }: SplitSecret, position: number): SecretBytes {
  const share = shares[position]
  assert(share !== undefined, 'a share for each operator')
  const message = new Uint8Array(2 + scalarBytes + proofs.length * (2 + pointBytes))
  message.set([bytesField(1), scalarBytes])
  message.set(share.reveal(), 2)
  for (const [index, proof] of proofs.entries()) {
    const start = 2 + scalarBytes + index * (2 + pointBytes)
    message.set([bytesField(2), pointBytes], start)
    message.set(proof, start + 2)
  }
  return new SecretBytes(message)
}

const scalarBytes = 32
const pointBytes = 33
/** The tag of a length-delimited field (wire type 2). */
const bytesField = (number: number) => (number << 3) | 2
