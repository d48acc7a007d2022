import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { authorizationStruct } from '../../../policy/typed_data_struct.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import type { RawPayloads } from '../../fields/signature_fields.ts'
import type { Content, PayloadReading, TransactionContent } from '../content.ts'
import type { ExplainContext } from '../explain_context.ts'
import type { Note, Row, Value } from '../explanation.ts'
import { code, hex, note, noteOf, number, row, rowsOf, section } from '../shown_values.ts'
import { isWarning, rankOf, warned } from '../warnings.ts'
import { authorizationContent } from './ethereum/ethereum_content.ts'
import { payloadReadingOf, readingByPrefix } from './payload_forms/payload_forms.ts'
import { ownAccount, signerValue, withSigner } from './shared/signer_value.ts'
import { personalMessage } from './signed_text/personal_messages.ts'
import { readText } from './signed_text/read_text.ts'
import { requestNotes } from './signed_text/stamped_requests.ts'
import { effectsIn } from './title_effects.ts'
import { typedDataContent } from './typed_data/typed_data_content.ts'

/** Explains payloads that are signed as they are. A single one of a known form is explained by that form. */
export function* payloadContent(
  { payloads, encoding, hashFunction, signWith }: RawPayloads,
  { request, now }: Pick<ExplainContext<unknown>, 'request' | 'now'>,
): Steps<Content | undefined> {
  if (request instanceof Failure) return undefined
  const own = signerValue(request, signWith)
  const form = { encoding, hashFunction, signer: request.organization.signer(signWith), own, now }
  const [only, ...others] = payloads
  const isSingle = only !== undefined && others.length === 0
  if (isSingle && encoding === 'PAYLOAD_ENCODING_EIP712') {
    yield // the facts have just read the whole document once
    return withSigner(yield* typedDataIn(only, form), own)
  }
  if (isSingle && encoding === 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION') {
    return withSigner(authorizationContent(authorizationStruct(only.payload, only.fieldPath)), own)
  }
  const shown: NumberedMeaning[] = []
  for (const [index, payload] of payloads.entries()) {
    yield
    const value = yield* shownPayload(payload, form)
    shown.push({ ...value, number: index + 1 })
  }
  const content = {
    title: isSingle
      ? warned({ code: 'signPayload', values: [] }, shown[0]?.warnings ?? [])
      : warned({ code: 'signPayloads', values: [number(payloads.length)] }, warningsOf(shown)),
    sections: section('payloads', [
      row('encoding', code(encoding)),
      row('hashFunction', code(hashFunction)),
      ...shown.toSorted(byWorst).map((one) => row('payload', isSingle ? treeOf(one.rows) : numbered(one))),
    ]),
  }
  return withSigner(content, own)
}

type Form = Pick<RawPayloads, 'encoding' | 'hashFunction'> &
  Pick<TransactionContent, 'signer'> &
  Pick<ExplainContext<unknown>, 'now'> & { readonly own: Value }
type Payload = RawPayloads['payloads'][number]

/** The known content of a payload, and the warnings for an approver. */
type Meaning = { readonly rows: readonly Row[]; readonly warnings: readonly Note[] }
/** `number`: its place in the request, from 1 on. */
type NumberedMeaning = Meaning & { readonly number: number }

function* shownPayload({ payload, fieldPath }: Payload, form: Form): Steps<Meaning> {
  switch (form.encoding) {
    case 'PAYLOAD_ENCODING_EIP712':
      return oneOfMany(yield* typedDataIn({ payload, fieldPath }, form))
    case 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION':
      return oneOfMany(authorizationContent(authorizationStruct(payload, fieldPath)), note('isAuthorization'))
    case 'PAYLOAD_ENCODING_TEXT_UTF8':
      return yield* shownBytes(new TextEncoder().encode(payload), form)
    case 'PAYLOAD_ENCODING_HEXADECIMAL':
      return yield* shownBytes(hexToBytes(payload.replace(/^0x/, '')), form)
  }
}

function typedDataIn({ payload, fieldPath }: Payload, { signer, own: shown, now }: Form): Steps<Content> {
  return typedDataContent(payload, fieldPath, {
    now,
    own: ownAccount(signer, { format: 'ADDRESS_FORMAT_ETHEREUM', shown }),
  })
}

/** Among others its own title is not shown, so warnings say what that title or a row would say. */
function oneOfMany(content: Content, ...warnings: readonly Note[]): Meaning {
  const rows = rowsIn(content.sections)
  return { rows, warnings: [...warnings, ...effectsIn(content), ...rows.flatMap(({ value }) => warningsIn(value))] }
}

function rowsIn(sections: Content['sections']): readonly Row[] {
  return sections.flatMap(({ rows }) => rows)
}

function warningsIn(value: Value): readonly Note[] {
  switch (value.kind) {
    case 'note':
      return isWarning(value) ? [value] : []
    case 'tree':
      return value.rows.flatMap((one) => warningsIn(one.value))
    case 'list':
      return value.items.flatMap(warningsIn)
    default:
      return []
  }
}

/** A text where the bytes are one, the bytes otherwise, and what else is known of them. Warnings come first. */
function* shownBytes(bytes: Uint8Array, form: Form): Steps<Meaning> {
  const message = personalMessage(bytes)
  const body = message?.body ?? bytes
  const { shown: shownText, warnings: ofText, mayBeHash } = readText(body)
  yield
  // Some chains take what they sign as a personal message too.
  const reading = (yield* payloadReadingOf(bytes, form)) ?? readingByPrefix(body)
  yield
  const isOnlyHash = form.hashFunction === 'HASH_FUNCTION_NO_OP'
  const blind = isOnlyHash ? [note('onlyHash')] : ofText
  const isBlind = reading === undefined || isOnlyHash || mayBeHash
  const read = reading === undefined ? [] : warningsOfReading(reading)
  const warnings = [...requestNotes(bytes, form.now), ...(isBlind ? blind : []), ...read]
  return {
    warnings,
    rows: [
      ...warnings.map((warning) => row('warning', warning)),
      ...(message === undefined ? [] : [row(message.label, shownText ?? hex(bytesToHex(body)))]),
      ...rowsOf({
        text: message === undefined ? shownText : undefined,
        bytes: message === undefined && shownText !== undefined ? undefined : hex(bytesToHex(bytes)),
        size: number(bytes.length),
        readsAs: reading?.content === undefined ? undefined : treeOf(rowsIn(reading.content.sections)),
      }),
    ],
  }
}

/** The effects come before the warning that it is a transaction. */
function warningsOfReading({ warning, content, own }: PayloadReading): readonly Note[] {
  const all = [...(content === undefined ? [] : effectsIn(content, own)), warning]
  return warned({ code: 'signPayload', values: [] }, all).warnings ?? []
}

/** Each warning once, with the number of the first payload that it is about. */
function warningsOf(shown: readonly NumberedMeaning[]): readonly Note[] {
  const byText = new Map<string, { readonly warning: Note; readonly numbers: Set<number> }>()
  for (const { number: place, warnings } of shown) {
    for (const warning of warnings) {
      const key = JSON.stringify(warning)
      const known = byText.get(key) ?? { warning, numbers: new Set() }
      byText.set(key, known)
      known.numbers.add(place)
    }
  }
  return [...byText.values()].map(({ warning, numbers }) => {
    const [first = 0] = numbers
    const all = number(shown.length)
    return numbers.size === 1
      ? noteOf('inPayload', number(first), all, warning)
      : noteOf('inPayloads', number(numbers.size), all, number(first), warning)
  })
}

/** The payload with the worst warning comes first. Those with none keep their order behind the others. */
function byWorst(one: NumberedMeaning, other: NumberedMeaning): number {
  return worstOf(one) - worstOf(other)
}

function worstOf({ warnings }: NumberedMeaning): number {
  return Math.min(Number.MAX_SAFE_INTEGER, ...warnings.map(rankOf))
}

function numbered({ number: place, rows }: NumberedMeaning): Value {
  return treeOf([row('number', number(place)), ...rows])
}

function treeOf(rows: readonly Row[]): Value {
  return { kind: 'tree', rows }
}
