import { readFileSync } from 'node:fs'
import {
  PublicKey,
  StakeAuthorizationLayout,
  StakeProgram,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { describe, expect, test } from 'vitest'
import { finished } from '../protocol/tools/steps.ts'
import { Failure } from '../protocol/wire/failures.ts'
import {
  type CompiledExpression,
  compileCondition,
  compileConsensus,
  compileScope,
  compileTime,
  evaluateExpression,
  guardHolds,
  refuseNeverEqual,
  truthOf,
} from './decision/policy_expressions.ts'
import type { Struct, Value } from './language/expression_values.ts'
import { activityActions, activityResources, exposedParameters } from './language/names/activity_types.ts'
import { credentialTypes, type ExpressionKind, keywords } from './language/names/keywords.ts'
import type { Type } from './language/names/types.ts'
import { solanaStruct } from './transactions/solana/solana_struct.ts'
import { parseSolanaTransaction } from './transactions/solana/solana_transaction.ts'

const page = readFileSync('docs/policies.md', 'utf8')
const compilers = { consensus: compileConsensus, condition: compileCondition, time: compileTime }
const blocks = [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', content = '']) => ({
  language,
  content,
}))
const objects = blocks.filter(({ language }) => language === 'json').map(({ content }) => JSON.parse(content))
const [policy] = objects
const request = objects.find((object) => 'approvers' in object)

const mapNames = ['contract_call_args']

/** Numbers of JSON become integers, and objects that the language reads as maps become maps. */
function read(json: unknown, name = ''): Value {
  if (typeof json === 'number') return BigInt(json)
  if (typeof json === 'string') return name === 'now' ? BigInt(Date.parse(json)) : json
  if (Array.isArray(json)) return json.map((item) => read(item))
  if (typeof json !== 'object' || json === null) return json === true
  const entries = Object.entries(json).map(([key, value]) => [key, read(value, key)] as const)
  return mapNames.includes(name) ? new Map(entries) : Object.fromEntries(entries)
}

const { spent, ...given } = request
const environment = {
  keywords: read(given) as Struct,
  spent: (path: string, durationMs: number) => {
    const sums: Readonly<Record<string, number>> = spent[path]
    return BigInt(sums[durationMs === 86_400_000 ? '24h' : '7d'] ?? 0)
  },
}

/** A denial reads its condition in its own way, and a scope is asked about queries too. */
function resultOf(kind: ExpressionKind | 'denial' | 'scope', text: string): string {
  const compile = { ...compilers, denial: compileCondition, scope: compileScope }[kind]
  const guards = kind === 'denial'
  try {
    const compiled = compile(text)
    if (!isAboutShortIds(compiled) && !isAboutNothing(compiled)) refuseNeverEqual(compiled, `parameters.${kind}`)
    const evaluation = evaluateExpression(compiled, { ...environment, guards })
    return evaluation.kind === 'value' ? String(evaluation.value) : `error: ${evaluation.message}`
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return error.message.replace(`invalid policy ${kind}: parameters.${kind}: `, 'refused: ')
  }
}

/** The page writes `ada` and `wallet-1` for ids, which are longer. */
function isAboutShortIds({ neverEqual }: CompiledExpression): boolean {
  return neverEqual.some(({ reason }) => reason.endsWith('; it holds an id'))
}

/** The page shows operators with examples that name nothing. */
function isAboutNothing({ neverEqual, requiredFields }: CompiledExpression): boolean {
  return requiredFields.length === 0 && neverEqual.every(({ reason }) => reason.endsWith(' is never true'))
}

describe('the page about the language of policies', () => {
  const examples = (['consensus', 'condition', 'denial', 'scope', 'time'] as const).flatMap((kind) =>
    blocks
      .filter(({ language }) => language === kind)
      .flatMap(({ content }) => content.trim().split('\n'))
      .map((line) => ({ kind, line })),
  )

  test('has examples of all kinds, and each example has a kind', () => {
    expect(examples.length).toBeGreaterThan(60)
    expect(new Set(blocks.map(({ language }) => language))).toEqual(
      new Set(['json', 'condition', 'consensus', 'denial', 'scope', 'time', 'solana', 'sh', '']),
    )
  })

  test.each(examples)('states the result: $line', ({ kind, line }) => {
    const [text = '', result, ...more] = line.split(' → ')
    expect(more).toEqual([])
    expect(resultOf(kind, text)).toBe(result)
  })

  test('begins with a policy whose expressions compile', () => {
    for (const [kind, compile] of Object.entries(compilers)) compile(policy[kind])
  })

  test('names every keyword and field with its type, and no others', () => {
    const written = page.split('\n').filter((line) => /^\| `[a-z_0-9.[\]]+` \| `[a-z_0-9]+: /.test(line))
    expect(page).toContain('| `controls` | each velocity control of the organization by its identifier: a bool |')
    const known = Object.values(keywords).flatMap((each) => [...each].flatMap(([name, type]) => rowsOf(name, type)))
    expect(written.toSorted()).toEqual(known.toSorted())
  })

  test('names the resources, the actions, and the parameters of every kind that has some', () => {
    expect(page).toContain(`- resources: ${activityResources.map((each) => `\`${each}\``).join(', ')}\n`)
    expect(page).toContain(`- actions: ${activityActions.map((each) => `\`${each}\``).join(', ')}\n`)
    const rows = [...page.matchAll(/^\| (`[A-Z_, `]+`) \| (`[a-z_, `]+`) \|$/gm)]
    for (const [, kinds = '', parameters = ''] of rows) {
      for (const kind of kinds.replaceAll('`', '').split(', ')) {
        expect([...exposedParameters(kind).keys()]).toEqual(parameters.replaceAll('`', '').split(', '))
      }
    }
    expect(rows).toHaveLength(14)
  })

  test('names the types of credentials', () => {
    const [, table = ''] = /^\| `credentials\[\]` \| `type` \|\n((?:\|.*\n)+)/m.exec(page) ?? []
    expect([...table.matchAll(/`(\w+)`/g)].map(([, type]) => type)).toEqual(credentialTypes)
  })
})

describe('the rules about instructions of Solana', () => {
  const rules = blocks
    .filter(({ language }) => language === 'solana')
    .flatMap(({ content }) => content.trim().split('\n'))
  const [allowance = '', denial = '', ofOwnTokens = '', ofHooks = ''] = rules
  const [own, other] = [new PublicKey(new Uint8Array(32).fill(1)), new PublicKey(new Uint8Array(32).fill(2))]
  const named = { stakePubkey: other, authorizedPubkey: own, newAuthorizedPubkey: other }
  const transfer = SystemProgram.transfer({ fromPubkey: own, toPubkey: other, lamports: 5 })
  const call = (program: string, data: readonly number[]) =>
    new TransactionInstruction({
      programId: new PublicKey(program),
      keys: [own, other, own, own].map((pubkey) => ({ pubkey, isSigner: pubkey === own, isWritable: true })),
      data: Buffer.from(data),
    })
  const token = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

  function keywordsOf(instructions: readonly TransactionInstruction[]): Struct {
    const message = new TransactionMessage({
      payerKey: own,
      recentBlockhash: other.toBase58(),
      instructions: [...instructions],
    }).compileToV0Message()
    const { message: parsed } = parseSolanaTransaction(new VersionedTransaction(message).serialize())
    return { solana: { tx: finished(solanaStruct(parsed, new Map())).struct } }
  }

  test.each([
    ['Assign', SystemProgram.assign({ accountPubkey: own, programId: other })],
    [
      'AllocateWithSeed',
      SystemProgram.allocate({ accountPubkey: other, basePubkey: own, seed: 's', space: 0, programId: other }),
    ],
    ['AuthorizeNonceAccount', SystemProgram.nonceAuthorize({ ...named, noncePubkey: other })],
    [
      'Authorize of stakes',
      StakeProgram.authorize({ ...named, stakeAuthorizationType: StakeAuthorizationLayout.Withdrawer }).instructions[0],
    ],
    [
      'Authorize of votes',
      call('Vote111111111111111111111111111111111111111', [1, 0, 0, 0, ...other.toBytes(), 1, 0, 0, 0]),
    ],
    ['SetAuthority of tokens', call(token, [6, 2, 1, ...other.toBytes()])],
    ['Approve', call(token, [4, 5, 0, 0, 0, 0, 0, 0, 0])],
    ['SetAuthority in a batch', call(token, [255, 2, 35, 6, 2, 1, ...other.toBytes()])],
    ['SetAuthority of programs', call('BPFLoaderUpgradeab1e11111111111111111111111', [4, 0, 0, 0])],
  ])('deny %s, and do not allow it beside a transfer', (_, instruction) => {
    const keywords = keywordsOf([transfer, ...(instruction === undefined ? [] : [instruction])])
    expect(guardHolds(compileCondition(denial), { keywords })).toBe(true)
    expect(truthOf(compileCondition(allowance), { keywords })).not.toBe(true)
  })

  test('leave transfers of the System program', () => {
    const keywords = keywordsOf([transfer])
    expect(guardHolds(compileCondition(denial), { keywords })).toBe(false)
    expect(truthOf(compileCondition(allowance), { keywords })).toBe(true)
  })

  const behindOwner = (owner: PublicKey, handed: readonly PublicKey[]) =>
    new TransactionInstruction({
      programId: new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'),
      keys: [other, other, other, owner, ...handed].map((pubkey) => ({
        pubkey,
        isSigner: pubkey === own,
        isWritable: true,
      })),
      data: Buffer.from([12, 5, 0, 0, 0, 0, 0, 0, 0, 6]),
    })

  const batched = ({ programId, keys, data }: TransactionInstruction) =>
    new TransactionInstruction({ programId, keys, data: Buffer.from([255, keys.length, data.length, ...data]) })

  test.each([
    ['tokens of the key', behindOwner(own, []), true],
    ['tokens of the key, and a hook with accounts', behindOwner(own, [other, other]), true],
    ['tokens of another, for whose hook the key signs', behindOwner(other, [own, other, other]), false],
    ['the same in a batch', batched(behindOwner(other, [own, other, other])), false],
  ])('tell whose hook gets the signature: %s', (_, instruction, isOwn) => {
    const keywords = { ...keywordsOf([instruction]), wallet_account: { address: own.toBase58() } }
    expect(truthOf(compileCondition(ofOwnTokens), { keywords }) === true).toBe(isOwn)
    expect(guardHolds(compileCondition(ofHooks), { keywords })).toBe(!isOwn)
  })

  test('are taken as new ones', () => {
    for (const text of rules) expect(compileCondition(text).neverEqual).toEqual([])
  })
})

function rowsOf(path: string, type: Type): readonly string[] {
  if (type.kind === 'list') return rowsOf(`${path}[]`, type.item)
  if (type.kind !== 'struct' || type.others !== undefined) return []
  const fields = [...type.fields].map(([name, field]) => `\`${name}: ${nameOf(field)}\``)
  const below = [...type.fields].flatMap(([name, field]) => rowsOf(`${path}.${name}`, field))
  return [`| \`${path}\` | ${fields.join(', ')} |`, ...below]
}

function nameOf(type: Type): string {
  return type.kind === 'list' || type.kind === 'map' ? `${type.kind}<${nameOf(type.item)}>` : type.kind
}
