import { onceFor } from '../../../protocol/tools/once_for.ts'
import { type Variants, variants } from '../names/variants.ts'
import { isWords, type Need, type Words, withoutItems } from './needs.ts'

/** For each struct, by the path of the field that says its variant, a bit for each variant that is possible. */
export type PossibleVariants = ReadonlyMap<string, number>

/** Whether each struct that has variants has one with all of this. */
export function isPossibleVariant(needs: readonly Need[]): boolean {
  return [...variantsWith(new Map(), needs).values()].every((possible) => possible !== 0)
}

/** The variants that are left beside these needs. */
export function variantsWith(before: PossibleVariants, needs: readonly Need[]): PossibleVariants {
  let left: Map<string, number> | undefined
  for (const { struct, possible } of needs.flatMap(structsOf)) {
    left ??= new Map(before)
    left.set(struct, (left.get(struct) ?? possible) & possible)
  }
  return left ?? before
}

/** The words of a field that says a variant, with which its struct has what is needed. */
export function wordsOfVariants(need: Need, { path }: Words): readonly string[] {
  const found = structsOf(need).find(({ struct }) => struct === path)
  return found === undefined ? [] : Object.keys(found.of.lacks).filter((_, bit) => (found.possible & (1 << bit)) !== 0)
}

/** `struct`: the path of the field that says its variant. `possible`: a bit for each text of that field. */
type Possible = { readonly of: Variants; readonly struct: string; readonly possible: number }

/** A need is judged together with each other one. */
const structsOf = onceFor((need: Need): readonly Possible[] => {
  const { path } = need
  const field = withoutItems(path)
  return variants.flatMap((of) => (field.startsWith(`${of.struct}.`) ? [possibleIn(of, need)] : []))
})

function possibleIn(of: Variants, need: Need): Possible {
  // With its items.
  const struct = need.path.split('.').slice(0, of.struct.split('.').length).join('.')
  const [field = ''] = need.path.slice(struct.length + 1).split(/[.[]/)
  const bits = textsOf(of).map((text, bit) => (allows(of, text, { need, field }) ? 1 << bit : 0))
  return { of, struct: `${struct}.${of.by}`, possible: bits.reduce((all, one) => all | one, 0) }
}

/** Undefined stands for each other text. */
function textsOf({ lacks, hasOthers }: Variants): readonly (string | undefined)[] {
  return hasOthers ? [...Object.keys(lacks), undefined] : Object.keys(lacks)
}

function allows(
  { by, lacks, hasOthers }: Variants,
  text: string | undefined,
  { need, field }: { readonly need: Need; readonly field: string },
): boolean {
  if (!isWords(need) || field !== by) return text === undefined || lacks[text]?.includes(field) !== true
  return need.words.some(({ value }) => {
    const isOther = !Object.hasOwn(lacks, value)
    // A word that the field never has is named by itself.
    return isOther ? text === undefined || !hasOthers : value === text
  })
}
