import Type, { type TInteger, type TOptional, type TProperties, type TString, type TUnsafe } from 'typebox'
import { oneOf, optional } from '../fields/fields.ts'
import { named, reference } from '../fields/named.ts'
import { noteCodes } from './codes/note_codes.ts'
import { sectionKinds } from './codes/section_kinds.ts'
import type { Explanation, Row, Section, Title, Value } from './explanation.ts'

/**
 * The schema of an explanation. `explanation.ts` has its shape: the compiler refuses a member here that is missing there,
 * is left out, has another type, or is optional only here or only there.
 */

/** In brackets, so that a union is one type and is not taken apart. */
type MemberOf<V> = [string] extends [V] ? TString : [number] extends [V] ? TInteger : TUnsafe<V>

type MembersOf<T> = TProperties & {
  readonly [M in keyof T]-?: Partial<Pick<T, M>> extends Pick<T, M>
    ? TOptional<MemberOf<Exclude<T[M], undefined>>>
    : MemberOf<T[M]> & { readonly '~optional'?: never }
}

function shape<T>(members: MembersOf<T>, marks = {}): TUnsafe<T> {
  return Type.Unsafe<T>(Type.Object(members, marks))
}

function listOf<T>(item: TUnsafe<T>): TUnsafe<readonly T[]> {
  return Type.Unsafe<readonly T[]>(Type.Array(item))
}

type OfKind<K extends Value['kind']> = Extract<Value, { readonly kind: K }>

function kind<const K extends Value['kind']>(name: K, members: MembersOf<Omit<OfKind<K>, 'kind'>>, marks = {}) {
  return Type.Unsafe<OfKind<K>>(Type.Object({ kind: Type.Literal(name), ...members }, marks))
}

const text = Type.String()
const integer = Type.Integer()
/** Values hold rows, notes and values. */
const anyValue = reference<Value>('ExplanationValue')

const RowView = Type.Unsafe<Row>(
  Type.Union(
    [
      shape<Extract<Row, { readonly label: string }>>({ label: text, value: anyValue }),
      shape<Extract<Row, { readonly name: string }>>({ name: text, value: anyValue }),
    ],
    named('ExplanationRow'),
  ),
)

const NoteView = kind(
  'note',
  {
    code: oneOf(noteCodes, named('NoteCode')),
    values: optional(listOf(anyValue)),
    detail: optional(text),
  },
  named('ExplanationNote'),
)

const kinds: { readonly [K in Value['kind']]: TUnsafe<OfKind<K>> } = {
  text: kind('text', { text, characters: optional(integer) }),
  code: kind('code', { code: text }),
  number: kind('number', { number: text }),
  amount: kind('amount', {
    smallest: text,
    smallestUnit: optional(text),
    units: optional(text),
    unit: optional(text),
    token: optional(text),
  }),
  chain: kind('chain', { name: optional(text), caip2: optional(text) }),
  address: kind('address', { address: text, name: optional(text), account: optional(text) }),
  id: kind('id', { id: text, of: optional(text), name: optional(text) }),
  duration: kind('duration', { seconds: integer }),
  time: kind('time', { at: text }),
  hex: kind('hex', { hex: text, bytes: integer, isCut: optional(Type.Unsafe<true>({ const: true })) }),
  tree: kind('tree', { rows: listOf(RowView) }),
  list: kind('list', { items: listOf(anyValue) }),
  change: kind('change', { from: anyValue, to: anyValue }),
  note: NoteView,
  leftOut: kind('leftOut', { count: integer, sum: optional(anyValue) }),
}

const ValueView = Type.Unsafe<Value>(Type.Union(Object.values(kinds), named('ExplanationValue')))

const TitleView = shape<Title>(
  { code: text, values: listOf(ValueView), warnings: optional(listOf(NoteView)) },
  named('ExplanationTitle'),
)

const SectionView = shape<Section>(
  { kind: oneOf(sectionKinds, named('SectionKind')), rows: listOf(RowView) },
  named('ExplanationSection'),
)

export const ExplanationView = shape<Explanation>(
  {
    activityId: text,
    organizationId: text,
    type: text,
    status: text,
    title: TitleView,
    sections: listOf(SectionView),
  },
  named('Explanation'),
)
