import Type from 'typebox'
import {
  type HashFunction,
  hashFunctions,
  type PayloadEncoding,
  payloadEncodings,
} from '../../protocol/chains/payload_names.ts'
import { oneOf, payloadCharactersMax } from './fields.ts'
import { idField } from './ids.ts'
import { named, view } from './named.ts'

const signWithCharactersMax = 256

/** An address of a wallet account or private key, or the id of a private key. */
export const SignWith = Type.String({
  minLength: 1,
  maxLength: signWithCharactersMax,
  expected: 'an address, or the id of a private key',
  ...idField,
  ...named('SignWith'),
})

export const Payload = Type.String({
  maxLength: payloadCharactersMax,
  expected: `a text of at most ${payloadCharactersMax} characters`,
  ...named('Payload'),
})

export const PayloadEncodingName = oneOf(payloadEncodings, named('PayloadEncoding'))
export const HashFunctionName = oneOf(hashFunctions, named('HashFunction'))

/** `r` and `s`: 64 hex digits each; `v`: `00` or `01`, the recovery parity. */
export const SignatureResult = view('SignRawPayloadResult', { r: Type.String(), s: Type.String(), v: Type.String() })

/** The payloads that one key is to sign. `fieldPath`: the place of a payload in the body. */
export type RawPayloads = {
  readonly signWith: string
  readonly payloads: readonly { readonly payload: string; readonly fieldPath: string }[]
  readonly encoding: PayloadEncoding
  readonly hashFunction: HashFunction
}
