import type { Steps } from '../../protocol/tools/steps.ts'
import type { CompiledPolicy } from '../decision/policy_evaluator.ts'
import { valueAt } from '../language/expression_values.ts'
import type { Expression } from '../language/syntax.ts'
import { mayBeTrue } from './may_be_true.ts'
import { meantValue } from './meant_value.ts'
import { contentKeywords, keywordsIn, unreadableIn } from './reads.ts'
import { anySignature, type Shape, type SigningRequests, signingRequests } from './signing_requests.ts'

/** A shape of requests that one kind of signer signs. Undefined where the condition names no signer. */
export type SignedShape = Shape & { readonly signer: Signer | undefined }
export type Gap = {
  readonly requests: SigningRequests
  readonly shapes: readonly SignedShape[]
  /** The kinds and encodings of such requests that may be denied. */
  readonly seenKinds: readonly string[]
}

/** Each clause is true where there is such a signer, and an error elsewhere. */
export const signers = {
  wallet: { keywords: ['wallet', 'wallet_account'], clause: 'wallet.id == wallet.id', name: 'a wallet account' },
  private_key: { keywords: ['private_key'], clause: 'private_key.id == private_key.id', name: 'a private key' },
} as const
type Signer = keyof typeof signers
const signerKeywords: readonly string[] = Object.values(signers).flatMap(({ keywords }) => keywords)

const gaps = new WeakMap<CompiledPolicy, readonly Gap[]>()

/** Kept, because each of the other rules may ask anew. */
export function* gapsOf(denial: CompiledPolicy): Steps<readonly Gap[]> {
  const known = gaps.get(denial) ?? (yield* findGaps(denial))
  gaps.set(denial, known)
  return known
}

function* findGaps({ effect, condition }: CompiledPolicy): Steps<readonly Gap[]> {
  if (effect !== 'EFFECT_DENY' || condition === undefined) return []
  if (!namesSigning(condition.root)) return []
  const named = keywordsIn(condition.root)
  const isOfContent = named.some((name) => contentKeywords.includes(name))
  const found: Gap[] = []
  for (const requests of isOfContent ? signingRequests : [anySignature]) {
    const whole = found.find((gap) => gap.requests.name === requests.partOf)
    const shapes: SignedShape[] = []
    for (const shape of requests.shapes.flatMap((one) => signedShapes(one, named))) {
      const isWhole = whole?.shapes.some(({ signer }) => signer === shape.signer) ?? false
      if (!isWhole && isUnseen(condition.root, shape)) shapes.push(shape)
      yield
    }
    if (shapes.length === 0) continue
    const seenKinds: string[] = []
    for (const shape of requests.shapes.flatMap((one) => signedShapes(one, named))) {
      if (mayBeTrue(condition.root, shape)) seenKinds.push(kindOf(shape))
      yield
    }
    found.push({ requests, shapes, seenKinds })
  }
  return found
}

/** Whether a condition names a part of what is signed, or the key that signs. */
export function namesSigning(condition: Expression): boolean {
  return keywordsIn(condition).some((name) => contentKeywords.includes(name) || signerKeywords.includes(name))
}

export function kindOf({ known }: Shape): string {
  const [kind, encoding] = ['kind', 'params.encoding'].map((name) => valueAt(known, ['activity', ...name.split('.')]))
  return encoding === undefined ? String(kind) : `${kind} of ${encoding}`
}

function signedShapes(shape: Shape, named: readonly string[]): readonly SignedShape[] {
  const all = Object.keys(signers) as Signer[]
  if (!signerKeywords.some((keyword) => named.includes(keyword))) return [{ ...shape, signer: undefined }]
  return all.map((signer) => ({ ...shape, signer, present: [...shape.present, ...signers[signer].keywords] }))
}

/** Whether such a request is denied by no values, and the author did not mean to leave it out. */
export function isUnseen(condition: Expression, shape: Shape): boolean {
  if (unreadableIn(condition, shape).length === 0 || meantValue(condition, shape) === false) return false
  return !mayBeTrue(condition, shape)
}

export function onlySignerOf(shapes: readonly SignedShape[]): (typeof signers)[Signer] | undefined {
  const [one, ...more] = new Set(shapes.map(({ signer }) => signer))
  return one === undefined || more.length > 0 ? undefined : signers[one]
}

/** The shape without its signer. */
export function unsigned(shape: SignedShape): Shape {
  const keywords: readonly string[] = shape.signer === undefined ? [] : signers[shape.signer].keywords
  return { ...shape, present: shape.present.filter((field) => !keywords.includes(field)) }
}
