import { type LookupAddress, lookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { Resolve } from './dial.ts'

/** A name server that says nothing is asked twice, and the addresses are known after about five seconds or not at all. */
const answerMs = 1_500
const tries = 2

type Servers = { readonly servers?: readonly string[] }

/**
 * Makes what finds the addresses of a name that anybody may have chosen. `lookup` of Node runs in one of two threads,
 * where a name whose servers say nothing stays for ten seconds and more: a few such names keep the whole process from
 * connecting to anything by name. These go to the name servers of the machine without a thread. `localhost`, and other
 * names without a dot, are of the machine itself and nobody else's: `lookup` finds them, also in its file of hosts.
 */
export function createResolve({ servers }: Servers = {}): Resolve {
  const resolver = new Resolver({ timeout: answerMs, tries })
  if (servers !== undefined) resolver.setServers(servers)
  const find = {
    4: async (name: string) => (await resolver.resolve4(name)).map((address) => ({ address, family: 4 })),
    6: async (name: string) => (await resolver.resolve6(name)).map((address) => ({ address, family: 6 })),
  }

  async function addressesOf(hostname: string, families: readonly (4 | 6)[]): Promise<LookupAddress[]> {
    const answers = await Promise.allSettled(families.map((family) => find[family](hostname)))
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const [first] = answers
    if (found.length === 0 && first?.status === 'rejected') throw first.reason
    return found
  }

  return (hostname, options, callback) => {
    if (!hostname.includes('.')) return lookup(hostname, options, callback)
    const families = options.family === 4 || options.family === 6 ? ([options.family] as const) : ([4, 6] as const)
    addressesOf(hostname, families).then(
      (addresses) => callback(null, addresses),
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }
}
