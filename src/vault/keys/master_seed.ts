import { createHmac, timingSafeEqual } from 'node:crypto'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import type { MasterSeeds } from './seal.ts'
import { UnsealError, type Unsealer } from './unsealer.ts'
import { masterSeedBytes } from './wrapped_seed.ts'

/**
 * The vault's state as the service stores it: the wrapped master seeds, numbered from 1. Each has a check value, which
 * tells whether an unwrapped seed is the seed of that number. The state is UTF-8 JSON:
 *
 *     {"version":1,"generations":[{"generation":1,"wrapped":"<base64url>","keyCheck":"<base64url>"}]}
 */

const stateBytesMax = 64 * 1024
const generationsMax = 64
const wrappedBytesMax = 4 * 1024
const keyCheckBytes = 32
const version = 1

type Generation = { readonly generation: number; readonly wrapped: Uint8Array; readonly keyCheck: Uint8Array }

/**
 * Makes a state with one new seed, and zeroes the seed. The caller then opens the stored state, because another node
 * may have stored its state first.
 */
export async function createVaultState(
  unsealer: Unsealer,
  randomBytes: (size: number) => Uint8Array,
): Promise<Uint8Array> {
  using seed = new SecretBytes(randomBytes(masterSeedBytes))
  const generation = 1
  return encodeState([{ generation, wrapped: await unsealer.wrap(seed), keyCheck: keyCheckOf(seed, generation) }])
}

/**
 * Opens the seeds of a stored state. The newest seed is the current one. Throws `UnsealError` if a seed does not open.
 */
export async function openVaultState(unsealer: Unsealer, state: Uint8Array): Promise<MasterSeeds> {
  const generations = decodeState(state)
  const seeds = new Map<number, SecretBytes>()
  for (const { generation, wrapped, keyCheck } of generations) {
    const seed = await unsealer.unwrap(wrapped)
    seeds.set(generation, seed)
    if (!timingSafeEqual(keyCheckOf(seed, generation), keyCheck)) {
      for (const opened of seeds.values()) opened[Symbol.dispose]()
      throw new UnsealError(`the stored state is not right: master seed ${generation} is not the one of its key check`)
    }
  }
  return { current: generations.length, seeds }
}

/** The check value: HMAC-SHA256 under the seed. It reveals nothing about the seed, and depends on the seed's number. */
function keyCheckOf(seed: SecretBytes, generation: number): Uint8Array {
  return createHmac('sha256', seed.reveal()).update(`claviger key check v1\0${generation}`).digest()
}

function encodeState(generations: readonly Generation[]): Uint8Array {
  const rows = generations.map(({ generation, wrapped, keyCheck }) => ({
    generation,
    wrapped: Buffer.from(wrapped).toString('base64url'),
    keyCheck: Buffer.from(keyCheck).toString('base64url'),
  }))
  return new TextEncoder().encode(JSON.stringify({ version, generations: rows }))
}

function decodeState(state: Uint8Array): readonly Generation[] {
  if (state.length > stateBytesMax) throw damaged(`larger than ${stateBytesMax} bytes`)
  const { version: stated, generations } = members(parse(state), ['version', 'generations'])
  if (stated !== version) throw damaged(`not of version ${version}`)
  if (!Array.isArray(generations) || generations.length === 0 || generations.length > generationsMax) {
    throw damaged(`not 1 to ${generationsMax} generations`)
  }
  return generations.map((value: unknown, index) => {
    const { generation, wrapped, keyCheck } = members(value, ['generation', 'wrapped', 'keyCheck'])
    if (generation !== index + 1) throw damaged('its generations are not numbered from 1')
    return {
      generation,
      wrapped: bytesOf(wrapped, { least: 1, most: wrappedBytesMax }),
      keyCheck: bytesOf(keyCheck, { least: keyCheckBytes, most: keyCheckBytes }),
    }
  })
}

function parse(state: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(state))
  } catch {
    throw damaged('not JSON')
  }
}

function members<Name extends string>(value: unknown, names: readonly Name[]): { readonly [K in Name]: unknown } {
  if (typeof value !== 'object' || value === null) throw damaged('a member has the wrong type')
  const keys = Object.keys(value).sort().join()
  if (keys !== [...names].sort().join()) throw damaged(`its members are not ${names.join(', ')}`)
  return value as { readonly [K in Name]: unknown }
}

function bytesOf(value: unknown, { least, most }: { readonly least: number; readonly most: number }): Uint8Array {
  if (typeof value !== 'string') throw damaged('a member has the wrong type')
  const bytes = Buffer.from(value, 'base64url')
  if (bytes.toString('base64url') !== value) throw damaged('a member is not base64url')
  if (bytes.length < least || bytes.length > most) throw damaged('a member has the wrong length')
  return new Uint8Array(bytes)
}

function damaged(reason: string): UnsealError {
  return new UnsealError(`the stored state of the vault is damaged (${reason}): restore the database from a backup`)
}
