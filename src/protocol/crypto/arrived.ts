import { type Failure, fieldRefused } from '../wire/failures.ts'
import type { SecretBytes } from './secret_bytes.ts'

/** A secret that a client encrypted to the key of `receiverSecret`, as the text of the field at `fieldPath`. */
export type Arrived = {
  readonly text: string
  readonly receiverSecret: SecretBytes
  readonly fieldPath: string
}

/** `key` is the one to which the client should have encrypted the secret. */
export function doesNotOpen(fieldPath: string, key: string): Failure {
  return fieldRefused(fieldPath, `it does not open: encrypt it to ${key}`)
}
