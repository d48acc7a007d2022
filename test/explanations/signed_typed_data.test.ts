import { TypedDataEncoder } from 'ethers'
import fc from 'fast-check'
import { recoverTypedDataAddress } from 'viem'
import { expect, test } from 'vitest'
import { comparable, valueOfType } from '../support/contract_calls.ts'
import { explaining, plain, valuesAt, warningsOf } from '../support/explanations.ts'
import { generatedRuns } from '../support/generated_runs.ts'
import { newAccount, startOrganization } from '../support/organization.ts'
import { type Member, membersOf, signedDocuments } from '../support/signed_documents.ts'

const organization = await startOrganization()
const explain = explaining(organization)
const { addresses } = await organization.done('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
const [signWith] = addresses
const numRuns = Math.ceil(generatedRuns / 20)

type Types = Readonly<Record<string, Member[]>>
type Message = Readonly<Record<string, unknown>>

const domainTypes = membersOf('string name,string version,uint256 chainId,address verifyingContract')
const domain = { name: 'App', version: '1', chainId: 137, verifyingContract: `0x${'ab'.repeat(20)}` } as const

/** Explains a document, signs it, and checks with viem that the signature is one of this domain, types and message. */
async function signedDocument(types: Types, primaryType: string, message: Message, more: Message = {}) {
  const document = { types: { EIP712Domain: domainTypes, ...types }, primaryType, domain, message, ...more }
  const explained = await explain('sign_raw_payload', {
    ...{ signWith, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
    payload: JSON.stringify(document, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  })
  const { r, s, v } = explained.result
  const signature = `0x${r}${s}${v === '00' ? '1b' : '1c'}` as const
  const signer = await recoverTypedDataAddress({ domain, types, primaryType, message, signature } as never)
  return { ...explained, signer }
}

/** The message as ethers encodes it: the members of the types and no others. */
function encodedByEthers(types: Types, message: Message): unknown {
  return comparable(asIntegers(TypedDataEncoder.getPayload(domain, { ...types }, message).message))
}

/** ethers writes integers as decimals. */
function asIntegers(value: unknown): unknown {
  if (typeof value === 'string' && /^-?[0-9]+$/.test(value)) return BigInt(value)
  if (Array.isArray(value)) return value.map(asIntegers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asIntegers(member)]))
}

/** A value of a struct, with its members of a struct type resolved. */
function messageOf(types: Types, name: string): fc.Arbitrary<Message> {
  const members = types[name] ?? []
  return fc.record(Object.fromEntries(members.map((member) => [member.name, memberValue(types, member)])))
}

function memberValue(types: Types, { name, type }: Member): fc.Arbitrary<unknown> {
  const item = /^(.*)\[\]$/.exec(type)?.[1]
  if (item !== undefined) return fc.array(memberValue(types, { name, type: item }), { maxLength: 3 })
  return type in types ? messageOf(types, type) : valueOfType({ name, type })
}

for (const [primaryType, texts] of Object.entries<Readonly<Record<string, string>>>(signedDocuments)) {
  const types: Types = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, membersOf(text)]))

  test(`${primaryType} is signed as it is shown`, async () => {
    await fc.assert(
      fc.asyncProperty(messageOf(types, primaryType), async (message) => {
        const { explanation, signer } = await signedDocument(types, primaryType, message)
        expect(signer).toBe(signWith)
        expect(valuesAt(explanation, 'typedData', 'message').map((shown) => comparable(plain(shown)))).toEqual([
          encodedByEthers(types, message),
        ])
        expect(valuesAt(explanation, 'typedData', 'domain').map((shown) => comparable(plain(shown)))).toEqual([
          { name: 'app', version: '1', chainId: 'eip155:137', verifyingContract: domain.verifyingContract },
        ])
        expect(valuesAt(explanation, 'typedData', 'types').map(plain)).toEqual([
          TypedDataEncoder.from({ ...types }).encodeType(primaryType),
        ])
        expect(warningsOf(explanation)).not.toContain('notSigned')
        expect(warningsOf(explanation)).not.toContain('noChain')
      }),
      { numRuns },
    )
  })

  test(`${primaryType} with members that are not signed has the same signature, and its title says so`, async () => {
    await fc.assert(
      fc.asyncProperty(messageOf(types, primaryType), async (message) => {
        const more = { domain: { ...domain, limit: 'at most 5 USDC' } }
        const { explanation, signer, lines } = await signedDocument(types, primaryType, { ...message, ok: true }, more)
        expect(signer).toBe(signWith)
        expect(valuesAt(explanation, 'typedData', 'message').map((shown) => comparable(plain(shown)))).toEqual([
          encodedByEthers(types, message),
        ])
        expect(warningsOf(explanation)).toContain('notSigned')
        expect(lines[0]).toMatch(/^WARNING/)
        expect(lines.join('\n')).not.toContain('at most 5 USDC')
      }),
      { numRuns },
    )
  })
}
