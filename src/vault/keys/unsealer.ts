import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { openKeyFile, openOrCreateKeyFile } from './key_file.ts'
import { openPassphraseFile, refuseNewPassphrase, wrongPassphrase } from './passphrase_file.ts'
import { openSeed, readWrapped, sealSeed, UnsealError } from './wrapped_seed.ts'

export { UnsealError }

/** Wraps and unwraps master seeds, and does nothing else. */
export type Unsealer = {
  /** The name in the wrapped form. An unsealer unwraps only seeds that carry its own name. */
  readonly name: string
  /** Wraps a master seed of 32 bytes. The result reveals no secret and can be stored anywhere. */
  wrap(masterSeed: SecretBytes): Promise<Uint8Array>
  /** Throws `UnsealError` if the seed was wrapped under another key, or if `wrapped` was changed. */
  unwrap(wrapped: Uint8Array): Promise<SecretBytes>
}

/**
 * Makes an unsealer whose key is a file of 32 random bytes that only its owner may read. With `create` the first `wrap`
 * makes the file. `unwrap` never makes it, because a new key opens nothing.
 */
export function keyFileUnsealer({ path, create }: { readonly path: string; readonly create: boolean }): Unsealer {
  const name = 'key-file'
  return {
    name,
    async wrap(masterSeed) {
      using key = create ? await openOrCreateKeyFile(path) : await openKeyFile(path)
      return sealSeed({ unsealer: name, parameters: new Uint8Array(), key, masterSeed })
    },
    async unwrap(wrapped) {
      const { seed } = readWrapped({ wrapped, unsealer: name, parametersBytes: 0 })
      using key = await openKeyFile(path)
      return openSeed(seed, key, `${path} is not the key file that it was wrapped with; restore that one`)
    },
  }
}

/** Parameters of scrypt (RFC 7914). A cost of 2^17 and a block size of 8 take 128 MiB and about half a second. */
const scryptDefaults = { costLog2: 17, blockSize: 8, parallelization: 1 } as const
/** The bounds, least and most, of the parameters in the wrapped form. The largest take 1 GiB. */
const scryptBounds = { costLog2: [14, 20], blockSize: [8, 8], parallelization: [1, 4] } as const
const saltBytes = 16

type ScryptCost = { readonly costLog2: number; readonly blockSize: number; readonly parallelization: number }

/**
 * Makes an unsealer whose key is derived from a passphrase by scrypt. The wrapped form holds salt and cost. A short
 * passphrase wraps nothing. One that has wrapped a seed before that was refused still unwraps it.
 */
export function passphraseUnsealer({ path }: { readonly path: string }): Unsealer {
  const name = 'passphrase'
  return {
    name,
    async wrap(masterSeed) {
      const salt = randomBytes(saltBytes)
      using passphrase = await openPassphraseFile(path)
      refuseNewPassphrase(passphrase, path)
      using key = await keyFrom(passphrase, salt, scryptDefaults)
      return sealSeed({ unsealer: name, parameters: encodeParameters(salt, scryptDefaults), key, masterSeed })
    },
    async unwrap(wrapped) {
      const { parameters, seed } = readWrapped({ wrapped, unsealer: name, parametersBytes: 3 + saltBytes })
      const { salt, cost } = readParameters(parameters)
      using passphrase = await openPassphraseFile(path)
      using key = await keyFrom(passphrase, salt, cost)
      return openSeed(seed, key, wrongPassphrase(passphrase, path))
    },
  }
}

/** Returns costLog2 ‖ blockSize ‖ parallelization ‖ salt. The first three take one byte each. */
function encodeParameters(salt: Uint8Array, { costLog2, blockSize, parallelization }: ScryptCost): Uint8Array {
  return Uint8Array.of(costLog2, blockSize, parallelization, ...salt)
}

function readParameters(parameters: Uint8Array): { readonly salt: Uint8Array; readonly cost: ScryptCost } {
  const [costLog2 = 0, blockSize = 0, parallelization = 0] = parameters
  const cost = { costLog2, blockSize, parallelization }
  for (const name of ['costLog2', 'blockSize', 'parallelization'] as const) {
    const [least, most] = scryptBounds[name]
    if (cost[name] < least || cost[name] > most) {
      throw new UnsealError(`the wrapped master seed is damaged: scrypt ${name} ${cost[name]}`)
    }
  }
  return { salt: parameters.subarray(3), cost }
}

async function keyFrom(passphrase: SecretBytes, salt: Uint8Array, cost: ScryptCost): Promise<SecretBytes> {
  const { costLog2, blockSize, parallelization } = cost
  const options = { N: 2 ** costLog2, r: blockSize, p: parallelization, maxmem: 2 ** (costLog2 + 8) * blockSize }
  return new SecretBytes(await scryptKey(passphrase.reveal(), salt, 32, options))
}

const scryptKey = promisify<Uint8Array, Uint8Array, number, ScryptOptions, Uint8Array>(scrypt)
