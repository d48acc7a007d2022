import type { ActivityOperation, OrganizationReader, OrganizationWriter } from '../operations/define.ts'
import type { SignedAmounts } from '../operations/records.ts'
import { durationMsMax } from '../policy/language/durations.ts'
import type { Environment } from '../policy/language/evaluate.ts'
import { type Struct, valueAt } from '../policy/language/values.ts'
import { type Amount, sumOf, withAmount } from '../policy/spending.ts'
import { Failure } from '../protocol/failures.ts'
import { type CompiledPolicy, compiledPolicies } from './compiled_policies.ts'
import type { Organization } from './organization.ts'
import { readerOf } from './reader.ts'
import { type ResolvedNeeds, withRecord } from './resolve.ts'

/** The head names each key with amounts. */
const signersMax = 10_000
/** Of other keys, when one is new: two for one are more than come in, so those without amounts do not pile up. */
const sweptPerNewSigner = 2

type Signing = {
  readonly operation: ActivityOperation
  readonly parameters: unknown
  /** With what the operation reads; undefined when that is not there any more. */
  readonly reader: OrganizationReader | undefined
}

/**
 * The id of the amounts of the key that signs, which is the key itself: it may have several addresses, and be in several
 * wallets, and all of them spend the same.
 */
export function signerIdOf({ operation, parameters, reader }: Signing): string | undefined {
  const signWith = operation.spendsFrom(parameters as never)
  if (signWith === undefined || reader === undefined) return undefined
  return Buffer.from(reader.signer(signWith).publicKey).toString('hex')
}

export type Spent = NonNullable<Environment['spent']>

/** What `spent` is in conditions about this activity: undefined where nothing is signed that has amounts. */
export function spentBy(organization: Organization, signing: Signing, nowMs: number): Spent {
  return (path, durationMs) => {
    const signerId = signerIdOf(signing)
    if (signerId === undefined) return undefined
    return sumOf(amountsOf(organization.listed('signed_amounts', signerId), path), { nowMs, durationMs })
  }
}

/** Needs and changes of an activity whose amounts are counted. */
export type Counted = { readonly resolved: ResolvedNeeds; change(writer: OrganizationWriter): void }

/**
 * What the organization's policies name in `spent` is counted, whoever asks and whatever allows it, in the transaction
 * that records the signature: of two requests at once one is decided again, knowing what the other has signed.
 */
export function countSpending({
  resolved,
  operation,
  parameters,
  facts,
  nowMs,
}: Omit<Signing, 'reader'> & {
  readonly resolved: ResolvedNeeds
  readonly facts: () => Struct
  readonly nowMs: number
}): Counted {
  const { organization } = resolved.own
  const added =
    operation.spendsFrom(parameters as never) === undefined
      ? []
      : amountsIn(facts, countedPaths(compiledPolicies(organization)))
  const signerId = added.length === 0 ? undefined : signerIdOf({ operation, parameters, reader: readerOf(resolved) })
  if (signerId === undefined) return { resolved, change: () => {} }

  const before = organization.listed('signed_amounts', signerId)
  const swept = before === undefined ? forgettable(organization, { signerId, nowMs }) : []
  const paths = added.map(({ path, amount }) => {
    const amounts = withAmount(amountsOf(before, path), { atMs: nowMs, amount })
    return [path, amounts.map(({ atMs, amount }) => ({ atMs, amount: String(amount) }))] as const
  })
  const after = {
    signerId,
    paths: { ...before?.paths, ...Object.fromEntries(paths) },
    createdAtMs: before?.createdAtMs ?? nowMs,
    updatedAtMs: nowMs,
  }
  const kind = 'signed_amounts'
  const known = [
    { recordId: signerId, record: before },
    ...swept.map((record) => ({ recordId: record.signerId, record })),
  ]
  return {
    resolved: known.reduce((others, one) => withRecord(others, { kind, ...one }), resolved),
    change({ signedAmounts }) {
      if (before !== undefined) return signedAmounts.put(after)
      for (const { signerId } of swept) signedAmounts.remove(signerId)
      signedAmounts.add(after)
      if (signedAmounts.count() > signersMax) {
        throw new Failure('LIMIT_REACHED', { reason: `spending limits count what at most ${signersMax} keys sign` })
      }
    },
  }
}

/** Of some other keys, those whose amounts are all too old to count in any window. Which ones, the new key's digits say. */
function forgettable(
  organization: Organization,
  { signerId, nowMs }: { readonly signerId: string; readonly nowMs: number },
): readonly SignedAmounts[] {
  const signerIds = [...(organization.head.listed.get('signed_amounts')?.keys() ?? [])]
  const looked = Array.from({ length: sweptPerNewSigner }, (_, turn) => {
    const digits = Number.parseInt(signerId.slice(2 + 8 * turn, 10 + 8 * turn), 16)
    return signerIds.at(digits % signerIds.length) ?? ''
  })
  organization.require('signed_amounts', looked)
  return [...new Set(looked)].flatMap((each) => {
    const record = organization.listed('signed_amounts', each)
    return record !== undefined && countsNever(record, nowMs) ? [record] : []
  })
}

function countsNever({ paths }: SignedAmounts, nowMs: number): boolean {
  return Object.values(paths).every((amounts) => amounts.every(({ atMs }) => nowMs - atMs >= durationMsMax))
}

/** The fields whose sums these policies ask for. */
export function countedPaths(policies: readonly CompiledPolicy[]): ReadonlySet<string> {
  return new Set(policies.flatMap(({ condition }) => condition.spentTerms.map(({ path }) => path)))
}

/** What a transaction adds to the sums of these fields. */
export function amountsIn(facts: () => Struct, paths: ReadonlySet<string>) {
  return [...paths].flatMap((path) => {
    const amount = amountAt(facts(), path)
    return amount > 0n ? [{ path, amount }] : []
  })
}

function amountsOf(record: SignedAmounts | undefined, path: string): readonly Amount[] {
  const amounts = record?.paths[path] ?? []
  return amounts.map(({ atMs, amount }) => ({ atMs, amount: BigInt(amount) }))
}

/** A field that the transaction does not have adds nothing, and neither does one below zero: it would make room. */
function amountAt(facts: Struct, path: string): bigint {
  const value = valueAt(facts, path.split('.'))
  return typeof value === 'bigint' && value > 0n ? value : 0n
}
