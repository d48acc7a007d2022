import { hexToBytes } from '@noble/hashes/utils.js'
import { authorizationStruct } from '../../../policy/typed_data_struct.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import type { RawPayloads } from '../../fields/signature_fields.ts'
import type { ExplainContext } from '../explain_context.ts'
import type { Row, Value } from '../explanation.ts'
import { code, hex, listedMax, note, number, row, section, tree } from '../values.ts'
import { authorizationContent } from './ethereum_content.ts'
import { readingOf } from './payload_forms.ts'
import { printableText } from './printable_text.ts'
import { signerValue } from './signer_value.ts'
import type { Content, TransactionContent } from './signing_content.ts'
import { typedDataContent } from './typed_data_content.ts'

/** Explains payloads that are signed as they are. A single one of a known form is explained by that form. */
export function* payloadContent(
  { payloads, encoding, hashFunction, signWith }: RawPayloads,
  { request, now }: Pick<ExplainContext<unknown>, 'request' | 'now'>,
): Steps<Content | undefined> {
  if (request instanceof Failure) return undefined
  const signedBy = row('signWith', signerValue(request, signWith))
  const [only, ...others] = payloads
  const isSingle = only !== undefined && others.length === 0
  if (isSingle && encoding === 'PAYLOAD_ENCODING_EIP712') {
    yield // the facts have just read the whole document once
    return withSigner(typedDataContent(only.payload, only.fieldPath), signedBy)
  }
  if (isSingle && encoding === 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION') {
    return withSigner(authorizationContent(authorizationStruct(only.payload, only.fieldPath)), signedBy)
  }
  const shown: Value[] = []
  const form = { encoding, hashFunction, signer: request.organization.signer(signWith), now }
  for (const payload of payloads.slice(0, listedMax)) {
    yield
    shown.push(yield* payloadValue(payload, form))
  }
  if (payloads.length > listedMax) shown.push({ kind: 'leftOut', count: payloads.length - listedMax })
  return {
    title: isSingle ? { code: 'signPayload', values: [] } : { code: 'signPayloads', values: [number(payloads.length)] },
    sections: section('payloads', [
      signedBy,
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

type Form = Pick<RawPayloads, 'encoding' | 'hashFunction'> & Pick<TransactionContent, 'signer' | 'now'>
type Payload = RawPayloads['payloads'][number]

function* payloadValue({ payload, fieldPath }: Payload, form: Form): Steps<Value> {
  switch (form.encoding) {
    case 'PAYLOAD_ENCODING_EIP712':
      return contentValue(typedDataContent(payload, fieldPath))
    case 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION':
      return contentValue(authorizationContent(authorizationStruct(payload, fieldPath)))
    case 'PAYLOAD_ENCODING_TEXT_UTF8':
      return yield* bytesValue(new TextEncoder().encode(payload), form)
    case 'PAYLOAD_ENCODING_HEXADECIMAL':
      return yield* bytesValue(hexToBytes(payload.replace(/^0x/, '')), form)
  }
}

function contentValue({ sections }: Content): Value {
  return { kind: 'tree', rows: sections.flatMap(({ rows }) => rows) }
}

/** A text where the bytes are one, the bytes otherwise, and what else is known of them. */
function* bytesValue(bytes: Uint8Array, form: Form): Steps<Value> {
  const digits = Buffer.from(bytes).toString('hex')
  const message = personalMessage(bytes)
  const whole = message === undefined ? printableText(bytes) : undefined
  const isHash = form.hashFunction === 'HASH_FUNCTION_NO_OP'
  const reading = yield* readingOf(bytes, form)
  return tree({
    ethereumMessage: message,
    text: whole,
    bytes: whole === undefined ? hex(digits) : undefined,
    size: number(bytes.length),
    hash: isHash ? note('onlyHash') : undefined,
    warning: reading?.warning,
    readsAs: reading?.content === undefined ? undefined : contentValue(reading.content),
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
