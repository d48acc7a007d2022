import { hexToBytes } from '@noble/hashes/utils.js'
import { addressFormatNames, addressFormats, addressOf } from '../../protocol/chains/address_formats.ts'
import { canonicalAddress } from '../../protocol/chains/canonical_address.ts'
import { curves } from '../../protocol/crypto/curves.ts'
import { onceFor } from '../../protocol/tools/once_for.ts'
import { isStruct, type Struct } from '../language/expression_values.ts'
import type { Environment } from '../language/running/environment.ts'
import { pathOf } from '../language/running/required_fields.ts'
import { stepsMax } from '../language/running/run.ts'
import { type Expression, everyPart, partsOf, textsIn } from '../language/syntax.ts'

/**
 * The request by the address of the account's key that decides: one that makes a rule that guards true, or any other rule
 * false. Else that by the account's own address. `truth` is that of the expression.
 */
export function decisiveAddress(
  root: Expression,
  own: Environment,
  truth: (environment: Environment) => boolean | undefined,
): Environment {
  const stricter = own.guards === true
  let isDecided: boolean | undefined
  for (const { named, unnamed } of otherAddresses(root, own)) {
    isDecided ??= (truth(own) === true) === stricter
    if (isDecided) return own
    if (truth(named) === stricter && truth(unnamed) !== stricter) return named
  }
  return own
}

/** A request by another address of the key that signs, and the same by an address that nothing equals. */
type OtherAddress = { readonly named: Environment; readonly unnamed: Environment }

/**
 * The request by each other address of the account's key that the expression may tell from its own. Who asks chooses the
 * address. If only `named` makes the expression true, the address does.
 */
function* otherAddresses(root: Expression, environment: Environment): Iterable<OtherAddress> {
  const { wallet_account: account } = environment.keywords
  if (account === undefined || !isStruct(account) || !namesAddress(root)) return
  const isTold = toldApart(root)
  const { stepsMax: allowed = stepsMax, keywords } = environment
  const by = (address: string) => ({
    ...environment,
    // Another address may take a few more steps.
    stepsMax: 2 * allowed,
    keywords: { ...keywords, wallet_account: { ...account, address } },
  })
  for (const address of addressesOf(account)) {
    if (address !== account.address && isTold(address))
      yield { named: by(address), unnamed: by(equalsNothing.repeat(address.length)) }
  }
}

/** Half of a surrogate pair stands in no text of a request or of a rule. */
const equalsNothing = '\ud800'

/** In the spelling of rules. `curve` stands beside the public key for this alone: no rule can name it. */
const addressesOf = onceFor(({ curve, public_key: key }: Struct): readonly string[] => {
  const known = curves.find((one) => one === curve)
  if (known === undefined || typeof key !== 'string') return []
  // Rules see the address on the main network.
  const formats = addressFormatNames.filter(
    (format) => addressFormats[format].curves.includes(known) && !/TESTNET|SIGNET|REGTEST/.test(format),
  )
  try {
    const addresses = formats.map((format) => addressOf({ format, curve: known, publicKey: hexToBytes(key) }))
    return addresses.map((address) => canonicalAddress(address) ?? address)
  } catch {
    return [] // an export that lies may have a key that is no point
  }
})

const isAddress = (part: Expression) => part.kind === 'field' && pathOf(part)?.join('.') === 'wallet_account.address'
/** Whether an expression reads the address of the account that signs, which may be decided by another one. */
export const namesAddress = onceFor((root: Expression) => [...everyPart(root)].some(isAddress))

/** Most rules compare the address with written texts alone. Such a rule tells only these, and parts of them, from others. */
const toldApart = onceFor((root: Expression): ((address: string) => boolean) => {
  const texts = textsIn(root)
  // The bytes of an address are another spelling of it.
  if (meetsOthers(root) || texts.some((text) => /^(0x)?[0-9a-f]{64}$/.test(text))) return () => true
  return (address) => texts.some((text) => address.includes(text))
})

/** Whether the address may be compared with anything but written texts. */
function meetsOthers(expression: Expression): boolean {
  if (!namesAddress(expression)) return false
  const { kind } = expression
  if (kind === 'and' || kind === 'or' || kind === 'not') return partsOf(expression).some(meetsOthers)
  if (kind !== 'comparison' && kind !== 'contains') return true
  return [...everyPart(expression)].some((part) => part.kind === 'name' && part.name !== 'wallet_account')
}
