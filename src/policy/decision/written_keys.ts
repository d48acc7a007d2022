import { hexToBytes } from '@noble/hashes/utils.js'
import { hexDigits } from '../../protocol/chains/canonical_address.ts'
import { p256Point } from '../../protocol/crypto/p256.ts'
import { isPublicKey } from '../../protocol/crypto/secp256k1.ts'
import { parseApiPublicKey } from '../../protocol/stamps/api_keys.ts'
import { importCoseKey } from '../../protocol/stamps/cose_keys.ts'
import { typeOfItems, typeOfPart } from '../language/checking/check.ts'
import { credentialKey, type Form, publicKey, publicPoint } from '../language/names/forms.ts'
import type { ExpressionKind } from '../language/names/keywords.ts'
import type { Type } from '../language/names/types.ts'
import { type Expression, partsOf } from '../language/syntax.ts'

type Variables = Parameters<typeof typeOfPart>[2]
type Literal = Expression & { readonly kind: 'string' }

/**
 * The written public keys that no key is, in the order of their places: their bytes are no point of a curve that the field
 * beside them has. `text` is that of the expression, because a point is compared compressed, whatever was written.
 * The editor does without this, and without the curves.
 */
export function writtenNoKeys(root: Expression, kind: ExpressionKind, text: string): readonly Literal[] {
  const found = new Map<number, Literal>()
  for (const { form, literal } of besideKeys(root, kind, [])) {
    const written = hexDigits(/(0x)?[0-9a-f]+/i.exec(text.slice(literal.start, literal.end))?.[0] ?? '')
    const isWrong = form.canonical(literal.value) !== undefined && written !== undefined && !isKey(written, form)
    if (isWrong) found.set(literal.start, literal)
  }
  return [...found.values()].toSorted((one, other) => one.start - other.start)
}

function isKey(digits: string, form: Form): boolean {
  const bytes = hexToBytes(digits)
  if (p256Point(bytes) !== undefined) return true
  if (form === publicPoint) return false
  if (isPublicKey(bytes)) return true
  const ed25519 = { curveType: 'API_KEY_CURVE_ED25519', publicKey: digits } as const
  return parseApiPublicKey(ed25519) !== undefined || (form === credentialKey && importCoseKey(bytes) !== undefined)
}

/** The texts that are written beside a public key, each with the form of the key. */
function* besideKeys(
  part: Expression,
  kind: ExpressionKind,
  variables: Variables,
): Iterable<{ readonly form: Form; readonly literal: Literal }> {
  if (part.kind === 'predicate') {
    yield* besideKeys(part.of, kind, variables)
    const variable = { name: part.variable, type: typeOfItems(part.of, kind, variables) }
    yield* besideKeys(part.body, kind, [...variables, variable])
    return
  }
  if (part.kind === 'comparison' || part.kind === 'contains') {
    const [one, other] = partsOf(part).map((side) => scalarOf(typeOfPart(side, kind, variables)))
    for (const [field, beside] of [
      [one, other],
      [other, one],
    ]) {
      const form = keyFormOf(field)
      if (form === undefined || beside?.kind !== 'string') continue
      for (const literal of beside.written ?? []) yield { form, literal }
    }
  }
  for (const inner of partsOf(part)) yield* besideKeys(inner, kind, variables)
}

function scalarOf(type: Type): Type {
  return type.kind === 'list' ? type.item : type
}

const keyForms: readonly Form[] = [publicKey, credentialKey, publicPoint]

/** The form of a whole public key. Undefined for a part of one, and where the value may be that of another field. */
function keyFormOf(type: Type | undefined): Form | undefined {
  if (type?.kind !== 'string' || type.among !== undefined || type.piece !== undefined) return undefined
  return keyForms.find((form) => form === type.form)
}
