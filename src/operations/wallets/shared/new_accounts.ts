import { strict as assert } from 'node:assert'
import type { Static } from 'typebox'
import type { NewAccount } from '../../../contract/fields/fields.ts'
import type { Keys } from '../../../contract/keys.ts'
import { type Need, unused } from '../../../contract/needs.ts'
import type { WalletAccount, WithoutTimes } from '../../../contract/records/records.ts'
import { addressFormats, addressOf } from '../../../protocol/chains/address_formats.ts'
import { isHardenedOnly, parsePath } from '../../../protocol/chains/derivation_path.ts'
import { publicKeyOf } from '../../../protocol/crypto/curves.ts'
import type { SecretBytes } from '../../../protocol/crypto/secret_bytes.ts'
import type { DerivedAddress } from '../../../protocol/tvc/app_proof.ts'
import { Failure } from '../../../protocol/wire/failures.ts'

export type GivenAccount = Static<typeof NewAccount>

/** Checks that the curve, path and format of every account fit together and that no two accounts collide. */
export function checkAccounts(accounts: readonly GivenAccount[], fieldPath: string): void {
  const paths = new Set<string>()
  const names = new Set<string>()
  accounts.forEach((account, index) => {
    const at = `${fieldPath}[${index}]`
    checkFormat(account, `${at}.addressFormat`)
    checkPath(account, at)
    const place = `${account.path} ${account.addressFormat} ${account.curve}`
    if (paths.has(place)) {
      const expected = 'used once for each format and curve'
      throw new Failure('PATH_TAKEN', { fieldPath: `${at}.path`, expected })
    }
    paths.add(place)
    if (account.name === undefined) return
    if (names.has(account.name)) throw new Failure('NAME_TAKEN', { fieldPath: `${at}.name`, expected: 'used once' })
    names.add(account.name)
  })
}

export function unusedNames(accounts: readonly GivenAccount[], fieldPath: string): readonly Need[] {
  return accounts.flatMap(({ name }, index) =>
    name === undefined ? [] : [unused('account_name', name, `${fieldPath}[${index}].name`)],
  )
}

/** The addresses for app proofs. `addresses` has the order of `accounts`. */
export function derivedAddresses(
  accounts: readonly GivenAccount[],
  {
    organizationId,
    walletId,
    addresses,
  }: { readonly organizationId: string; readonly walletId: string; readonly addresses: readonly string[] },
): readonly DerivedAddress[] {
  return accounts.map(({ path }, index) => {
    const address = addresses[index]
    assert(address !== undefined, 'an address for each account')
    return { organizationId, walletId, derivationPath: path, address }
  })
}

/** Derives one account: its record and its key. */
export async function deriveAccount(
  given: GivenAccount,
  place: {
    readonly keys: Keys
    readonly seed: SecretBytes
    readonly walletId: string
    readonly walletAccountId: string
  },
): Promise<{ readonly account: WithoutTimes<WalletAccount>; readonly secret: SecretBytes }> {
  const { keys, seed, walletId, walletAccountId } = place
  const { curve, path, addressFormat, name } = given
  const secret = await keys.derive(seed, { curve, path })
  const publicKey = publicKeyOf(curve, secret.reveal())
  const account = {
    walletAccountId,
    walletId,
    curve,
    path,
    addressFormat,
    address: addressOf({ format: addressFormat, curve, publicKey }),
    publicKey: Buffer.from(publicKey).toString('hex'),
    ...(name === undefined ? {} : { name }),
  }
  return { account, secret }
}

/** Clients match the text `invalid address format`. */
export function checkFormat(
  { curve, addressFormat }: Pick<GivenAccount, 'curve' | 'addressFormat'>,
  fieldPath: string,
): void {
  const { curves } = addressFormats[addressFormat]
  if (curves.includes(curve)) return
  throw new Failure('FIELD_INVALID', {
    fieldPath,
    expected: `a format for ${curve}`,
    reason: `invalid address format: ${addressFormat} is for ${curves.join(' and ')}`,
  })
}

function checkPath({ curve, path }: GivenAccount, fieldPath: string): void {
  const steps = parsePath(path)
  if (steps === undefined) {
    throw new Failure('FIELD_INVALID', {
      fieldPath: `${fieldPath}.path`,
      expected: "a derivation path such as m/44'/60'/0'/0/0",
      reason: 'invalid path',
    })
  }
  if (curve === 'CURVE_ED25519' && !isHardenedOnly(steps)) {
    throw new Failure('FIELD_INVALID', {
      fieldPath: `${fieldPath}.path`,
      expected: "hardened in every step, such as m/44'/501'/0'/0', for CURVE_ED25519",
      reason: 'invalid path',
    })
  }
}
