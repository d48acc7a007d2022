import { expect, test } from 'vitest'
import { explaining, warningsOf } from '../support/explanations.ts'
import { newPolicy, startOrganization } from '../support/organization.ts'

/** The title of a policy says if nobody can be whom it asks for: an id of another kind, or more users than it names. */

const organization = await startOrganization()
const { done, anotherUser, rootUserId } = organization
const [bob, carol] = [await anotherUser('bob'), await anotherUser('carol')]
const { userTagId: tag } = await done('create_user_tag', { userTagName: 'Treasury', userIds: [] })
const { walletId } = await done('create_wallet', { walletName: 'cold', accounts: [] })
await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, bob.userId] })

async function titleOf(given: { readonly consensus?: string; readonly condition?: string }) {
  const parameters = { policyName: 'P', effect: 'EFFECT_ALLOW', condition: "activity.action == 'SIGN'", ...given }
  const { lines, explanation } = await explaining(organization)('create_policy', newPolicy(parameters))
  return { title: lines[0] ?? '', isWarned: warningsOf(explanation).includes('namesOtherKind') }
}

test.each([
  ['the id of a user among tags', `approvers.any(u, u.tags.contains('${bob.userId}'))`, '1', '“bob”'],
  ['the id of a tag as that of a user', `approvers.any(u, u.id == '${tag}')`, '1', '“Treasury”'],
  ['that of a wallet', `approvers.any(u, u.id in ['${walletId}'])`, '1', '“cold”'],
  ['with a user beside', `approvers.filter(u, u.id in ['${walletId}', '${bob.userId}']).count() >= 2`, '2', '“cold”'],
])('%s is named as what is of another kind, and nobody can approve', async (_what, consensus, count, name) => {
  const { title, isWarned } = await titleOf({ consensus })
  expect(isWarned).toBe(true)
  expect(title).toContain(`names what is of another kind than its rule is about: ${name}`)
  expect(title).toContain(`if ${count} of these approve, which are fewer users: ${name}`)
})

test('so is one in a condition', async () => {
  expect((await titleOf({ condition: `private_key.id == '${walletId}'` })).isWarned).toBe(true)
  expect((await titleOf({ condition: `wallet.id == '${walletId}'` })).isWarned).toBe(false)
})

test.each([
  [`approvers.any(u, u.id == '${bob.userId.toUpperCase()}')`, 'if one of these approves: “bob”'],
  [`approvers.filter(u, u.id in ['${bob.userId}', '${carol.userId}']).count() >= 2`, 'if 2 of these approve: “bob”'],
  [`approvers.filter(u, u.tags.contains('${tag}')).count() >= 2`, 'if 2 of these approve: “Treasury”'],
  [
    `approvers.filter(u, u.tags.contains('${tag}') || u.id == '${bob.userId}').count() >= 5`,
    'if 5 of these approve: “Treasury”',
  ],
])('%s is no such one', async (consensus, said) => {
  const { title, isWarned } = await titleOf({ consensus })
  expect(isWarned).toBe(false)
  expect(title).toContain(said)
})

test.each(['EFFECT_ALLOW', 'EFFECT_DENY'] as const)('a user whom a consensus excepts is named: %s', async (effect) => {
  const explainedOf = async (consensus: string) => {
    const policy = newPolicy({ policyName: 'P', effect, condition: "activity.action == 'SIGN'", consensus })
    const { lines, explanation } = await explaining(organization)('create_policy', policy)
    return { title: lines[0] ?? '', isWarned: warningsOf(explanation).includes('metByOthers') }
  }
  const { title, isWarned } = await explainedOf(`approvers.any(u, u.id != '${bob.userId}')`)
  expect(isWarned).toBe(true)
  // An allowance that opens signatures to each user says that first.
  const said =
    effect === 'EFFECT_ALLOW' ? 'opens signatures to each' : 'met by any user but these, also if these approve'
  expect(title).toContain(said)
  expect((await explainedOf(`approvers.any(u, u.id == '${bob.userId}')`)).isWarned).toBe(false)
  for (const [test, named] of [
    [`approvers.any(u, !u.tags.contains('${tag}'))`, '“Treasury”'],
    ["!approvers.all(u, u.email == 'bob@example.com')", '“bob@example.com”'],
  ] as const) {
    const policy = newPolicy({ policyName: 'P', effect, condition: "activity.action == 'SIGN'", consensus: test })
    const { lines } = await explaining(organization)('create_policy', policy)
    expect(lines.find((line) => line.includes('is met by any user but these'))).toContain(named)
  }
})
