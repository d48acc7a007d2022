import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import type { ManifestV1 } from '../../src/protocol/tvc/tvc_manifest.ts'

const client = createRequire(import.meta.url).resolve('@turnkey/crypto')
const borsh: { serialize(schema: unknown, value: unknown): Uint8Array } = createRequire(client)('borsh')

/**
 * The hash that an operator signs, without code of the server: SHA-256 of the manifest in the `borsh` package's bytes.
 */
export function borshManifestHash(manifest: ManifestV1): Buffer {
  return createHash('sha256')
    .update(borsh.serialize(schema, borshForm(manifest)))
    .digest()
}

/** The structs of QuorumOS as the `borsh` package wants them. The order of the members is the order of the bytes. */
const blob = { array: { type: 'u8' } }
const setSchema = {
  struct: { threshold: 'u32', members: { array: { type: { struct: { alias: 'string', pubKey: blob } } } } },
}
const schema = {
  struct: {
    namespace: { struct: { name: 'string', nonce: 'u32', quorumKey: blob } },
    pivot: {
      struct: {
        hash: { array: { type: 'u8', len: 32 } },
        restart: 'u8',
        bridgeConfig: {
          array: {
            type: {
              enum: [
                { struct: { server: { struct: { port: 'u16', host: 'string' } } } },
                { struct: { client: { struct: { port: 'u16', host: { option: 'string' } } } } },
              ],
            },
          },
        },
        debugMode: 'bool',
        args: { array: { type: 'string' } },
      },
    },
    manifestSet: setSchema,
    shareSet: setSchema,
    enclave: {
      struct: { pcr0: blob, pcr1: blob, pcr2: blob, pcr3: blob, awsRootCertificate: blob, qosCommit: 'string' },
    },
    patchSet: { struct: { threshold: 'u32', members: { array: { type: { struct: { pubKey: blob } } } } } },
  },
}

function borshForm({ namespace, pivot, manifestSet, shareSet, enclave, patchSet }: ManifestV1): unknown {
  const { pcr0, pcr1, pcr2, pcr3, awsRootCertificate, qosCommit } = enclave
  const setForm = ({ threshold, members }: ManifestV1['manifestSet']) => ({
    threshold,
    members: members.map(({ alias, pubKey }) => ({ alias, pubKey: bytesOf(pubKey) })),
  })
  return {
    namespace: { ...namespace, quorumKey: bytesOf(namespace.quorumKey) },
    pivot: {
      ...pivot,
      hash: bytesOf(pivot.hash),
      restart: pivot.restart === 'Never' ? 0 : 1,
      bridgeConfig: pivot.bridgeConfig.map(({ type, port, host }) => ({ [type]: { port, host: host ?? null } })),
    },
    manifestSet: setForm(manifestSet),
    shareSet: setForm(shareSet),
    enclave: {
      ...{ pcr0: bytesOf(pcr0), pcr1: bytesOf(pcr1), pcr2: bytesOf(pcr2), pcr3: bytesOf(pcr3) },
      ...{ awsRootCertificate: bytesOf(awsRootCertificate), qosCommit },
    },
    patchSet: { ...patchSet, members: patchSet.members.map(({ pubKey }) => ({ pubKey: bytesOf(pubKey) })) },
  }
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'hex'))
}
