import { constants } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext, DEFAULT_CIPHERS, getCACertificates, type SecureContext } from 'node:tls'
import { noGroupOfServer } from '../../../protocol/wire/tls_ciphers.ts'

/** Keeps what another side costs in OpenSSL to its certificates, which have to be counted. */
export const boundedHandshake = {
  ciphers: `${DEFAULT_CIPHERS}:${noGroupOfServer}`,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION, // only the first handshake is counted
}

/**
 * Makes what returns the authorities that are trusted: those of the system, those that the operator names to Node by
 * NODE_EXTRA_CA_CERTS, and those of a file in PEM. To read some hundred certificates takes the thread a tenth of a
 * second, so it is done once and not for each connection. A file that cannot be read is read again at the next call.
 */
export function createTrust(caFile: string | undefined): () => Promise<SecureContext> {
  let kept: Promise<SecureContext> | undefined
  return () => {
    kept ??= trustIn(caFile).catch((error: unknown) => {
      kept = undefined
      throw error
    })
    return kept
  }
}

async function trustIn(caFile: string | undefined): Promise<SecureContext> {
  const system = getCACertificates('system')
  const roots = system.length > 0 ? system : getCACertificates('bundled') // a bare container has no system certificates
  // A context with a list of its own would leave out those of NODE_EXTRA_CA_CERTS.
  const named = [...getCACertificates('extra'), ...(caFile === undefined ? [] : [await readFile(caFile, 'utf8')])]
  const ca = [...roots, ...named]
  return createSecureContext({ ca, ...boundedHandshake })
}
