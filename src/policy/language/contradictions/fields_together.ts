import { canonicalPoint, canonicalSolanaKey } from '../../../protocol/chains/canonical_address.ts'
import { bitcoinScriptKinds } from '../names/payload_types.ts'
import { withoutItems } from './needs.ts'
import { allBut, both, isNone, numbersAmong, numbersFrom, textsAmong, type Values } from './possible_values.ts'

/** The values of a field. A function tells of a text whether it is one of them. */
type Allowed = Values | ((text: string) => boolean)
/** The values that some fields of a struct have together. The others have any value. */
type Case = Readonly<Record<string, Allowed>>

const [none, some] = [textsAmong(['']), allBut(textsAmong(['']))]
const positive = numbersFrom(1n, undefined)

const [passkey, ed25519] = ['CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR', 'CREDENTIAL_TYPE_API_KEY_ED25519'] as const

/** A map of CBOR, which a compressed point is not (`credentialKey` of `forms.ts`). */
const isCoseKey = (text: string) => /^a[3-6]/i.test(text.replace(/^0x/i, ''))
const isPoint = (text: string) => canonicalPoint(text) !== undefined
/** `textsAmong` has 32 bytes in base58, in whatever spelling they are written. */
const is32Bytes = (text: string) => canonicalSolanaKey(text) !== undefined

/** The lock times below are heights of blocks (BIP-65). */
const secondsMin = 500_000_000n

const scripts: Readonly<Record<(typeof bitcoinScriptKinds)[number], Allowed>> = {
  P2PKH: (script) => /^76a914[0-9a-f]{40}88ac$/i.test(script),
  P2SH: (script) => /^a914[0-9a-f]{40}87$/i.test(script),
  P2WPKH: (script) => /^0014[0-9a-f]{40}$/i.test(script),
  P2WSH: (script) => /^0020[0-9a-f]{64}$/i.test(script),
  P2TR: (script) => /^5120[0-9a-f]{64}$/i.test(script),
}
const addresses: Readonly<Record<(typeof bitcoinScriptKinds)[number], Allowed>> = {
  P2PKH: (address) => address.startsWith('1') && !is32Bytes(address),
  P2SH: (address) => address.startsWith('3') && !is32Bytes(address),
  P2WPKH: (address) => /^bc1q/i.test(address),
  P2WSH: is32Bytes,
  P2TR: is32Bytes,
}

/** The cases that a struct may be. `[]` stands for an item of a list. Each request is one of them. */
const casesOf: ReadonlyMap<string, readonly Case[]> = new Map<string, readonly Case[]>([
  [
    'credentials[]',
    [
      { type: textsAmong([passkey]), credential_id: some, public_key: isCoseKey },
      { type: textsAmong([ed25519]), credential_id: none, public_key: is32Bytes },
      { type: allBut(textsAmong([passkey, ed25519])), credential_id: none, public_key: isPoint },
    ],
  ],
  // Neither EIP-4844 nor EIP-7702 has the creation of a contract.
  [
    'eth.tx',
    [{ type: textsAmong(['LEGACY', 'TYPE_1', 'TYPE_2']) }, { type: textsAmong(['TYPE_3', 'TYPE_4']), to: some }],
  ],
  [
    'bitcoin.tx.locktime',
    [
      { type: textsAmong(['Blocks']), amount: numbersFrom(undefined, secondsMin - 1n) },
      { type: textsAmong(['Seconds']), amount: numbersFrom(secondsMin, undefined) },
    ],
  ],
  [
    'bitcoin.tx.outputs[]',
    [
      ...bitcoinScriptKinds.map((kind) => ({
        ...{ address_type: textsAmong([kind]), address: addresses[kind], script_pubkey: scripts[kind] },
      })),
      {
        ...{ address_type: none, address: none },
        script_pubkey: (text: string) => bitcoinScriptKinds.every((kind) => !isAllowed(text, scripts[kind])),
      },
    ],
  ],
  // The fee is the product of price and limit, rounded up to lamports.
  [
    'solana.tx',
    [
      { compute_unit_price: numbersAmong([0n]), priority_fee: numbersAmong([0n]) },
      { compute_unit_limit: numbersAmong([0n]), priority_fee: numbersAmong([0n]) },
      { compute_unit_price: positive, compute_unit_limit: positive, priority_fee: positive },
    ],
  ],
])

const namesOf: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...casesOf].map(([struct, cases]) => [struct, new Set(cases.flatMap((one) => Object.keys(one)))]),
)

function structOf(place: string): string {
  return place.slice(0, Math.max(0, place.lastIndexOf('.')))
}

/** Whether a field has only some values beside those of others. A long rule asks about each of its fields. */
export function dependsOnOthers(place: string): boolean {
  const struct = structOf(place)
  return namesOf.get(withoutItems(struct))?.has(place.slice(struct.length + 1)) === true
}

/** The values that a field is asked for. `isSoBeyond`: an item that is beyond the end of its list meets it too. */
export type AskedOfField = { readonly values: Values; readonly isSoBeyond: boolean }

/**
 * Whether no request has the values that are asked of the fields beside this one, because its format or the kind of a
 * credential excludes them. `askedOf`: what is asked of a place so far.
 */
export function areNeverTogether(place: string, askedOf: (place: string) => AskedOfField | undefined): boolean {
  if (!dependsOnOthers(place)) return false
  const struct = structOf(place)
  const cases = casesOf.get(withoutItems(struct)) ?? []
  const names = namesOf.get(withoutItems(struct)) ?? []
  const asked = [...names].flatMap((name) => {
    const found = askedOf(`${struct}.${name}`)
    return found === undefined ? [] : [{ name, ...found }]
  })
  if (asked.length < 2 || asked.every(({ isSoBeyond }) => isSoBeyond)) return false
  return !cases.some((one) => asked.every(({ name, values }) => mayBe(values, one[name])))
}

function mayBe(values: Values, allowed: Allowed | undefined): boolean {
  if (allowed === undefined) return true
  if (typeof allowed !== 'function') return !isNone(both(values, allowed))
  return !('among' in values) || [...values.among].some(allowed)
}

function isAllowed(text: string, allowed: Allowed): boolean {
  return mayBe(textsAmong([text]), allowed)
}

/** Numbers of a request, of which the first is at most the second. */
export const ordersOfFields: readonly (readonly [string, string])[] = [
  ['eth.tx.max_priority_fee_per_gas', 'eth.tx.max_fee_per_gas'],
  ['eth.tx.max_priority_fee_per_gas', 'eth.tx.gas_price'],
  ['eth.tx.max_fee_per_gas', 'eth.tx.gas_price'],
  ['eth.tx.gas_price', 'eth.tx.max_fee_per_gas'],
  ['solana.tx.transfers.count()', 'solana.tx.lamport_transfers.count()'],
  ['solana.tx.transfers.count()', 'solana.tx.instructions.count()'],
  ['solana.tx.lamport_transfers.count()', 'solana.tx.instructions.count()'],
  ['solana.tx.spl_transfers.count()', 'solana.tx.instructions.count()'],
  ['solana.tx.program_keys.count()', 'solana.tx.instructions.count()'],
  ['solana.tx.program_keys.count()', 'solana.tx.account_keys.count()'],
]
