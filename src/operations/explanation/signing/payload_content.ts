import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { parseEthereumTransaction } from '../../../policy/transactions/ethereum/ethereum.ts'
import { parseSolanaTransaction } from '../../../policy/transactions/solana/solana.ts'
import { parseTronTransaction } from '../../../policy/transactions/tron/tron.ts'
import { authorizationStruct } from '../../../policy/typed_data_struct.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { Failure, orFailure } from '../../../protocol/wire/failures.ts'
import type { RawPayloads } from '../../fields/signature_fields.ts'
import type { ReadableRequest } from '../explain_context.ts'
import type { Row, Value } from '../explanation.ts'
import { code, hex, listed, note, number, row, section, tree } from '../values.ts'
import { authorizationContent } from './ethereum_content.ts'
import { printableText } from './printable_text.ts'
import { signerValue } from './signer_value.ts'
import type { Content } from './signing_content.ts'
import { typedDataContent } from './typed_data_content.ts'

/** Explains payloads that are signed as they are. A single one of a known form is explained by that form. */
export function* payloadContent(
  { payloads, encoding, hashFunction, signWith }: RawPayloads,
  request: ReadableRequest | Failure,
): Steps<Content | undefined> {
  if (request instanceof Failure) return undefined
  const signer = row('signWith', signerValue(request, signWith))
  const [only, ...others] = payloads
  const isSingle = only !== undefined && others.length === 0
  if (isSingle && encoding === 'PAYLOAD_ENCODING_EIP712') {
    return withSigner(typedDataContent(only.payload, only.fieldPath), signer)
  }
  if (isSingle && encoding === 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION') {
    return withSigner(authorizationContent(authorizationStruct(only.payload, only.fieldPath)), signer)
  }
  const shown: Value[] = []
  for (const item of listed(payloads, (payload) => payloadValue(payload, { encoding, hashFunction }))) {
    yield
    shown.push(item)
  }
  return {
    title: isSingle ? { code: 'signPayload', values: [] } : { code: 'signPayloads', values: [number(payloads.length)] },
    sections: section('payloads', [
      signer,
      row('encoding', code(encoding)),
      row('hashFunction', code(hashFunction)),
      ...shown.map((value) => row(value.kind === 'leftOut' ? 'payloadsLeftOut' : 'payload', value)),
    ]),
  }
}

function withSigner(content: Content, signer: Row): Content {
  const [first, ...others] = content.sections
  return first === undefined
    ? content
    : { ...content, sections: [{ ...first, rows: [signer, ...first.rows] }, ...others] }
}

type Form = Pick<RawPayloads, 'encoding' | 'hashFunction'>
type Payload = RawPayloads['payloads'][number]

function payloadValue({ payload, fieldPath }: Payload, { encoding, hashFunction }: Form): Value {
  switch (encoding) {
    case 'PAYLOAD_ENCODING_EIP712':
      return contentValue(typedDataContent(payload, fieldPath))
    case 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION':
      return contentValue(authorizationContent(authorizationStruct(payload, fieldPath)))
    case 'PAYLOAD_ENCODING_TEXT_UTF8':
      return bytesValue(new TextEncoder().encode(payload), hashFunction)
    case 'PAYLOAD_ENCODING_HEXADECIMAL':
      return bytesValue(hexToBytes(payload.replace(/^0x/, '')), hashFunction)
  }
}

function contentValue({ sections }: Content): Value {
  return { kind: 'tree', rows: sections.flatMap(({ rows }) => rows) }
}

/** A text where the bytes are one, the bytes otherwise, and what else is known of them. */
function bytesValue(bytes: Uint8Array, hashFunction: RawPayloads['hashFunction']): Value {
  const digits = Buffer.from(bytes).toString('hex')
  const message = personalMessage(bytes)
  const whole = message === undefined ? printableText(bytes) : undefined
  const isHash = hashFunction === 'HASH_FUNCTION_NO_OP'
  const transaction = transactionIn(bytes, hashFunction)
  return tree({
    ethereumMessage: message,
    text: whole,
    bytes: whole === undefined ? hex(digits) : undefined,
    size: number(bytes.length),
    hash: isHash ? note('onlyHash') : undefined,
    transaction: transaction === undefined ? undefined : note('isTransaction', transaction),
  })
}

/** The text behind the prefix of EIP-191 (`personal_sign`), if the payload is such a message. */
function personalMessage(bytes: Uint8Array): Value | undefined {
  const start = Buffer.from(bytes.subarray(0, 64)).toString('latin1')
  if (!start.startsWith(personalPrefix)) return undefined
  const [digits = ''] = /^[1-9][0-9]{0,7}/.exec(start.slice(personalPrefix.length)) ?? []
  // The length may be followed by digits of the text: take the one that fits.
  for (let count = digits.length; count > 0; count -= 1) {
    const prefixBytes = personalPrefix.length + count
    if (Number(digits.slice(0, count)) !== bytes.length - prefixBytes) continue
    const body = bytes.subarray(prefixBytes)
    return printableText(body) ?? hex(Buffer.from(body).toString('hex'))
  }
  return undefined
}

const personalPrefix = '\x19Ethereum Signed Message:\n'

/** The kind of transaction that the bytes are, hashed as that kind is, in the one form that is read of it. */
function transactionIn(bytes: Uint8Array, hashFunction: RawPayloads['hashFunction']): string | undefined {
  const [name, parse] = transactionForms.get(hashFunction) ?? []
  return parse === undefined || orFailure(() => parse(bytes)) instanceof Failure ? undefined : name
}

const transactionForms: ReadonlyMap<string, readonly [name: string, parse: (bytes: Uint8Array) => unknown]> = new Map([
  ['HASH_FUNCTION_KECCAK256', ['Ethereum', parseEthereumTransaction]],
  ['HASH_FUNCTION_NOT_APPLICABLE', ['Solana', parseSolanaMessage]],
  ['HASH_FUNCTION_SHA256', ['Tron', parseTronTransaction]],
])

/** A message is a transaction without the slots of its signatures. Its header says how many there are. */
function parseSolanaMessage(bytes: Uint8Array): unknown {
  const [first = 0, second = 0] = bytes
  const signersCount = Math.min(first >= 0x80 ? second : first, 0x7f)
  return parseSolanaTransaction(concatBytes(Uint8Array.of(signersCount), new Uint8Array(64 * signersCount), bytes))
}
