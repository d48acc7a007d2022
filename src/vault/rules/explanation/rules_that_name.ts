import type { BoundActivity } from '../../../contract/define.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Note } from '../../../contract/explanation/explanation.ts'
import { text } from '../../../contract/explanation/shown_values.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { spelledLabel } from '../../../protocol/wire/labels.ts'
import { isMailAddress, mailboxOf } from '../../../protocol/wire/mail_addresses.ts'
import type { Organization } from '../../state/organization.ts'
import { namedTextsIn, textsUnder, textUnder } from './parameters_in.ts'
import { withInterface, withoutInterface } from './rules_by_interface.ts'
import { inOrder, type Rule, rulesOf, writtenTexts } from './rules_of.ts'

/** The members of users, keys and wallets that rules compare and requests set, beside addresses and tags. */
const comparedNames: ReadonlySet<string> = new Set(['userName', 'receiverUserName', 'walletName', 'privateKeyName'])

const comparedAddresses: ReadonlySet<string> = new Set(['userEmail', 'receiverUserEmail'])

/** A name and an address may be the same text, and one comes where the other goes. */
type Compared = {
  readonly names: ReadonlySet<string>
  readonly addresses: ReadonlySet<string>
  readonly tagIds: ReadonlySet<string>
}

/** Warns of each tag, name and address that a request gives or takes away, and that rules name. */
export function* warningsOfNames(
  { operation, parameters }: Pick<BoundActivity, 'operation' | 'parameters'>,
  { organization, now }: { readonly organization: Organization; readonly now: Now },
): Steps<readonly Note[]> {
  // The users and wallets of a new organization have no rules yet.
  if (!now.isBefore || operation.name === 'create_sub_organization') return []
  if (operation.name === 'create_smart_contract_interface')
    return yield* withInterface(parameters, { organization, now })
  if (operation.name === 'delete_smart_contract_interface') {
    return yield* withoutInterface(textUnder(parameters, 'smartContractInterfaceId') ?? '', { organization, now })
  }
  const { tagIds, ...compared } = deletedIn(operation.name, parameters, now) ?? changedIn(parameters, now)
  const names = compared.names.union(compared.addresses)
  const newTags = newTagsIn(parameters)
  if (names.size + tagIds.size + newTags.length === 0) return []
  const rules = yield* rulesByText(organization)
  const ruledBy = (given: string) => rules.get(spelled(given)) ?? []
  return yield* inOrder(
    [
      ...[...tagIds].map((id) => ({ key: id, shown: now.named(id), rules: [...ruledBy(id), ...ruledBy(everyTag)] })),
      ...newTags.map((name) => ({ key: name, shown: text(name), rules: ruledBy(everyTag) })),
      ...[...names].map((name) => ({ key: name, shown: text(name), rules: ruledBy(name) })),
    ],
    now,
  )
}

/** The name of a new tag that somebody gets at once. It has no id that a rule could name. */
function newTagsIn(parameters: unknown): readonly string[] {
  const newTags = [
    ['userTagName', 'userIds'],
    ['privateKeyTagName', 'privateKeyIds'],
  ] as const
  return newTags.flatMap(([name, ids]) => (textsUnder(parameters, ids).length > 0 ? textsUnder(parameters, name) : []))
}

/** The values that the request sets, and those that they replace, but not those that stay. */
function changedIn(parameters: unknown, now: Now): Compared {
  const given = comparedIn(parameters)
  const before = beforeOf(parameters, now)
  return {
    names: given.names.symmetricDifference(before.names),
    addresses: given.addresses.symmetricDifference(before.addresses),
    tagIds: given.tagIds.symmetricDifference(before.tagIds),
  }
}

/** The names, addresses and tags that a request gives. */
export function comparedIn(parameters: unknown): Compared {
  const [names, addresses, tagIds] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const [name, value] of namedTextsIn(parameters)) {
    if (/tags?(ids?)?$/i.test(name)) tagIds.add(value.toLowerCase())
    else if (comparedNames.has(name) && value !== '') names.add(value)
    else if (comparedAddresses.has(name) && value !== '') addresses.add(value)
  }
  return { names, addresses, tagIds }
}

/** The values that the request replaces. An empty list of tags changes none. */
function beforeOf(parameters: unknown, { find }: Pick<Now, 'find'>): Compared {
  const [userId, walletId] = [textUnder(parameters, 'userId'), textUnder(parameters, 'walletId')]
  const user = userId === undefined ? undefined : find('user', userId)
  const wallet = walletId === undefined ? undefined : find('wallet', walletId)
  const changes = (name: string) => textUnder(parameters, name) !== undefined
  const names = [
    changes('userName') ? user?.userName : undefined,
    changes('walletName') ? wallet?.walletName : undefined,
  ]
  return {
    names: new Set(names.filter((name) => name !== undefined)),
    addresses: new Set(changes('userEmail') && user?.userEmail !== undefined ? [user.userEmail] : []),
    tagIds: new Set(changes('userTagIds') ? user?.userTags : []),
  }
}

type Deleted = { readonly names: readonly (string | undefined)[]; readonly tagIds: readonly string[] }

/** Where users, keys and wallets are deleted: under which name, and what each of them loses. */
const deletions: Readonly<Record<string, readonly [string, (id: string, now: Pick<Now, 'find'>) => Deleted]>> = {
  delete_users: [
    'userIds',
    (id, { find }) => {
      const { userName, userEmail, userTags = [] } = find('user', id) ?? {}
      return { names: [userName, userEmail], tagIds: userTags }
    },
  ],
  delete_private_keys: [
    'privateKeyIds',
    (id, { find }) => {
      const { privateKeyName, privateKeyTags = [] } = find('private_key', id) ?? {}
      return { names: [privateKeyName], tagIds: privateKeyTags }
    },
  ],
  delete_wallets: ['walletIds', (id, { find }) => ({ names: [find('wallet', id)?.walletName], tagIds: [] })],
}

/** The values that are lost with the records that a request deletes. Undefined for every other operation. */
function deletedIn(operationName: string, parameters: unknown, now: Now): Compared | undefined {
  if (!Object.hasOwn(deletions, operationName)) return undefined
  const [name, lostWith] = deletions[operationName] ?? []
  if (name === undefined || lostWith === undefined) return undefined
  const all = textsUnder(parameters, name).map((id) => lostWith(id, now))
  return {
    names: new Set(all.flatMap(({ names }) => names.filter((one) => one !== undefined))),
    addresses: new Set(),
    tagIds: new Set(all.flatMap(({ tagIds }) => tagIds)),
  }
}

/** Stands for the tags of rules that read tags and name none. */
const everyTag = '.tags'

/** The rules by each text that they write. */
function* rulesByText(organization: Organization): Steps<ReadonlyMap<string, readonly Rule[]>> {
  const found = new Map<string, Rule[]>()
  for (const rule of rulesOf(organization)) {
    yield
    for (const one of new Set(rule.expressions.flatMap(textsIn))) {
      const rules = found.get(one)
      if (rules === undefined) found.set(one, [rule])
      else rules.push(rule)
    }
  }
  return found
}

/** Tags of which nothing is compared with each, such as their count. Beside them, an id may be that of something else. */
const looksAtTags = /(?<!\bin\s+\w+)\.\s*tags\b(?!\s*\.\s*(contains|any|all|filter)\b)/

/** The texts that an expression writes. It need not compile: a rule that is mended again names what it named before. */
function textsIn(expression: string): readonly string[] {
  const texts = writtenTexts(expression).map(spelled)
  const namesNoTag = /\.\s*tags\b/.test(expression) && !texts.some((one) => /^[0-9a-f-]{36}$/.test(one))
  return namesNoTag || looksAtTags.test(expression) ? [...texts, everyTag] : texts
}

/** Capitals do not matter in ids, and in names it is better to warn once more. Any spelling of a mailbox is meant. */
function spelled(given: string): string {
  return (isMailAddress(given) ? mailboxOf(given) : spelledLabel(given)).toLowerCase()
}
