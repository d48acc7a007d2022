import type { Struct } from '../../policy/language/expression_values.ts'
import type { Signer } from '../keys.ts'
import type { Now } from './explain_context.ts'
import type { Note, Section, Title, Value } from './explanation.ts'

/** The content of an activity, without who asked and which rule decides. */
export type Content = {
  readonly title: Title
  readonly sections: readonly Section[]
  /** Names the call that the title has, where nothing here knows what it does. */
  readonly called?: Note | undefined
  /** The account that gives what the title says. Undefined: the one that signs. */
  readonly giver?: Value | undefined
  /** The users as whom somebody acts by it, where the request names them by no id. */
  readonly actAs?: readonly string[] | undefined
}

/** A payload that reads as something that a signature of it would authorize. */
export type PayloadReading = {
  readonly warning: Note
  readonly content?: Content
  /** The account on that chain of the key that signs. */
  readonly own?: Value | undefined
}

/** A transaction that could be read, as conditions see it, and its bytes. */
export type TransactionContent = {
  readonly facts: Struct
  /** The transaction's own struct, such as `eth.tx`. */
  readonly tx: Struct
  readonly bytes: Uint8Array
  readonly signer: Signer
  /** The uploaded interfaces by which calls were decoded. */
  readonly interfaces: readonly Value[]
  readonly now: Pick<Now, 'accountsAt' | 'find' | 'interfacesAt' | 'named'>
  /** An address that may be the signing key's own, and so has a name. */
  readonly from: (address: string) => Value
}
