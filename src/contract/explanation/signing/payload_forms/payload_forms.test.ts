import fc from 'fast-check'
import { expect, test } from 'vitest'
import { finished } from '../../../../protocol/tools/steps.ts'
import type { Signer } from '../../../keys.ts'
import { none } from '../../shown_values.ts'
import { payloadReadingOf } from './payload_forms.ts'

const now = {
  ...{ accountsAt: () => new Map(), find: () => undefined, interfacesAt: () => [] },
  named: (id: string) => ({ kind: 'id', id }) as const,
}
const signer: Signer = {
  kind: 'private_key',
  recordId: 'key',
  curve: 'CURVE_SECP256K1',
  addressFormat: undefined,
  scheme: 'default',
  publicKey: new Uint8Array(33).fill(2),
}
const hashFunctions = ['HASH_FUNCTION_KECCAK256', 'HASH_FUNCTION_NOT_APPLICABLE', 'HASH_FUNCTION_SHA256'] as const

test.for(hashFunctions)('random bytes throw nothing and yield no claim (%s)', (hashFunction) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(finished(payloadReadingOf(bytes, { signer, own: none, now, hashFunction }))).toBeUndefined()
    }),
  )
})

test.for([0x01, 0x02, 0x03, 0x04, 0x05, 0xf8, 0x0a, 0x80])('bytes that begin as a form (%i) throw nothing', (first) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(...hashFunctions), (rest, hashFunction) => {
      const bytes = Uint8Array.of(first, ...rest)
      const reading = finished(payloadReadingOf(bytes, { signer, own: none, now, hashFunction }))
      expect(reading === undefined || reading.warning.kind === 'note').toBe(true)
    }),
  )
})
