import { permit2 } from '../../contracts/ethereum/permit2.ts'
import { constantOf } from '../../language/names/pieces.ts'
import { type Expression, everyPart, partsOf, textsIn } from '../../language/syntax.ts'

/** The data of a call in hex, without `0x`, its function where it is a known one, and its contract where that matters. */
export type SampleCall = { readonly data: string; readonly signature?: string; readonly contract?: string }

const zeros = (digits: number) => '0'.repeat(digits)
const asLiked = (digits: number) => '*'.repeat(digits)

/** Words of 32 bytes. */
const word = {
  stranger: `${zeros(24)}${'?'.repeat(40)}`,
  signer: `${zeros(24)}${'@'.repeat(40)}`,
  /** Nobody knows whose an address is that a condition writes. As a number, it is more than there is of a token. */
  anyAddress: `${zeros(24)}^^^^^^^^${asLiked(32)}`,
  amount: `${zeros(32)}${'?'.repeat(32)}`,
  /** 2^128 or more. */
  much: `${'^'.repeat(32)}${asLiked(32)}`,
  yes: `${zeros(63)}1`,
  any: asLiked(64),
}

const ofKnown = (selectors: readonly string[], ...words: readonly string[]) =>
  selectors.map((selector): SampleCall => ({ data: `${selector}${words.join('')}`, signature: `0x${selector}` }))

/**
 * Calls that give much to a stranger: by an argument, or by a function whose other arguments say nothing of who gets it.
 * Functions ignore what follows their arguments, so beyond these words everything is as a condition likes it.
 */
const givingCalls: readonly SampleCall[] = [
  // Any function: `transfer`, `approve` and their like, then those that name the signer before.
  ...[
    [word.stranger, word.amount],
    [word.signer, word.stranger, word.amount],
  ].map((words) => ({ data: `${'?'.repeat(8)}${words.join('')}` })),
  // `approve` and `increaseAllowance`.
  ...ofKnown(['095ea7b3', '39509351'], word.stranger, word.much),
  ...ofKnown(['095ea7b3', '39509351'], word.stranger, word.anyAddress),
  // `setApprovalForAll`.
  ...ofKnown(['a22cb465'], word.stranger, word.yes),
  // `transferFrom`, and `safeTransferFrom` of ERC-721 and ERC-1155.
  ...ofKnown(['23b872dd', '42842e0e', 'b88d4fde', 'f242432a'], word.anyAddress, word.stranger, word.amount),
  // `transferOwnership`, and `grantRole` with its role.
  ...ofKnown(['f2fde38b'], word.stranger),
  ...ofKnown(['2f2ff15d'], word.any, word.stranger),
]

/** Permit2 gives the tokens that the signer allowed to it, or lets somebody take them. */
const callsOfPermit2: readonly SampleCall[] = [
  // `approve`, then `transferFrom` of one token and of several.
  ...ofKnown(['87517c45'], word.any, word.stranger, word.amount),
  ...ofKnown(['36c78516'], word.any, word.stranger, word.amount),
  ...ofKnown(['0d58b1db'], word.any, word.any, word.any, word.stranger, word.amount),
].map((call) => ({ ...call, contract: permit2 }))

const fieldsOfCalls: ReadonlySet<string> = new Set(['data', 'input', 'function_signature'])

/** To a condition that reads no data of calls, all are alike. */
export function callsFor(root: Expression): readonly SampleCall[] {
  const isRead = [...everyPart(root)].some((part) => part.kind === 'field' && fieldsOfCalls.has(part.name))
  const ofPermit2 = writesPermit2(root) ? callsOfPermit2 : []
  if (!isRead) return [...givingCalls.slice(0, 1), ...ofPermit2.slice(0, 1)]
  return [...givingCalls, ...ofPermit2, ...unknownCalls(root)]
}

function writesPermit2(root: Expression): boolean {
  return [...everyPart(root)].some((part) => part.kind === 'string' && part.value.toLowerCase() === permit2)
}

/** Functions of which it is known who gets something: `transfer`, `mint`, and those above. */
const knownSelectors: ReadonlySet<string> = new Set([
  ...['a9059cbb', '40c10f19'],
  ...givingCalls.flatMap(({ signature = '' }) => (signature === '' ? [] : [signature.slice(2)])),
])

/** More of them are judged as one, which is any function. */
const unknownSelectorsMax = 8

/** For any other function in a condition nobody knows the argument that says who gets something: each may be it. */
function unknownCalls(root: Expression): readonly SampleCall[] {
  const selectors = [...new Set(writtenSelectors(root))].filter((selector) => !knownSelectors.has(selector))
  const judged = selectors.length > unknownSelectorsMax ? ['????????'] : selectors
  return [
    [word.stranger, word.any, word.any],
    [word.any, word.stranger, word.any],
    [word.any, word.any, word.stranger],
  ].flatMap((words) =>
    judged.map((selector): SampleCall => {
      const data = `${selector}${words.join('')}`
      return judged === selectors ? { data, signature: `0x${selector}` } : { data }
    }),
  )
}

/** The beginnings of the texts that are compared with data of calls, or with the function. */
function writtenSelectors(root: Expression): readonly string[] {
  return [...everyPart(root)].flatMap((part) => {
    if (part.kind !== 'comparison' && part.kind !== 'contains') return []
    const sides = partsOf(part)
    if (!sides.some(isBeginOfCall)) return []
    return sides.flatMap(textsIn).flatMap((text) => /^(?:0x)?([0-9a-f]{8})/i.exec(text)?.[1]?.toLowerCase() ?? [])
  })
}

/** Whether a side of a comparison has a field of calls, a slice of one that begins with the function, or a list of these. */
function isBeginOfCall(side: Expression): boolean {
  if (side.kind === 'list') return side.items.some(isBeginOfCall)
  const of = side.kind === 'slice' && constantOf(side.from) === 0n ? side.of : side
  return of.kind === 'field' && fieldsOfCalls.has(of.name)
}
