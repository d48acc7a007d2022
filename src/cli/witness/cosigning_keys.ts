import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { type SigningKey, verifierKeyOf } from '../../protocol/log/notes/signatures.ts'
import { isKeyName, type KeyType, writeVerifierKey } from '../../protocol/log/notes/verifier_keys.ts'
import { SettingsError } from '../../service/process/settings_error.ts'
import { readOwnFile } from '../../service/settings/secret_values.ts'

/** A cosignature by ML-DSA-44 has the length of the name in one byte. */
const nameBytesMax = 255

/** The member of the file that holds the seed of a key, for each kind. */
const seedMembers = {
  'Ed25519 cosignature': 'ed25519Seed',
  'ML-DSA-44 cosignature': 'mlDsa44Seed',
} as const satisfies Partial<Record<KeyType, string>>

type SeedMember = (typeof seedMembers)[keyof typeof seedMembers]
/** The content of the file. Seeds are 64 hex digits. */
type KeyFile = { readonly name: string } & { readonly [M in SeedMember]: string }

/** Where the keys of a witness are. */
export function keyFileIn(folder: string): string {
  return join(folder, 'witness.key')
}

/** Whether a witness may have the name: it stands in front of each of its signatures. */
export function isWitnessName(name: string): boolean {
  return isKeyName(name) && Buffer.byteLength(name) <= nameBytesMax
}

/** The content of a file with new keys. */
export function newKeyFile(name: string): KeyFile {
  const seed = () => randomBytes(32).toString('hex')
  return { name, ed25519Seed: seed(), mlDsa44Seed: seed() }
}

/** The keys with which a witness cosigns. Throws `SettingsError`. */
export function readKeyFile(path: string): readonly SigningKey[] {
  const content = parsed(readOwnFile(path, path))
  const name = content?.name
  if (typeof name !== 'string' || !isWitnessName(name)) throw damaged(path)
  return Object.entries(seedMembers).map(([type, member]) => {
    const seed = content?.[member]
    if (typeof seed !== 'string' || !/^[0-9a-f]{64}$/.test(seed)) throw damaged(path)
    return { name, type: type as keyof typeof seedMembers, seed: new SecretBytes(Buffer.from(seed, 'hex')) }
  })
}

/** Their public halves, as a policy and other witnesses write them. */
export function verifierKeysOf(keys: readonly SigningKey[]): readonly string[] {
  return keys.map((key) => writeVerifierKey(verifierKeyOf(key)))
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function damaged(path: string): SettingsError {
  return new SettingsError(`${path} is no file that \`claviger witness create\` has made: put it back as it was`)
}
