import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Note } from '../../../contract/explanation/explanation.ts'
import { text } from '../../../contract/explanation/shown_values.ts'
import { mayBeginToHold, type Uploaded } from '../../../policy/about_rules/begins_to_hold.ts'
import { goesByOtherNames, readsCallsOf } from '../../../policy/about_rules/names_of_interfaces.ts'
import { compileCondition } from '../../../policy/decision/policy_expressions.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { Failure, orFailure } from '../../../protocol/wire/failures.ts'
import type { Organization } from '../../state/organization.ts'
import { textUnder } from './parameters_in.ts'
import { inOrder, type Rule, rulesOf, writtenTexts } from './rules_of.ts'

type Around = { readonly organization: Organization; readonly now: Now }

/** The names that only an interface gives, by the kind of contract. */
const namesOfInterfaces = {
  ETHEREUM: /\.(function_name|function_signature|contract_call_args)\b/,
  SOLANA: /\.parsed_instruction_data\b/,
}

/**
 * Warns of denials and MFA policies that do not see the calls of a contract any more, because they go by names that its
 * interface gives.
 */
export function* withoutInterface(interfaceId: string, { organization, now }: Around): Steps<readonly Note[]> {
  const deleted = now.find('smart_contract_interface', interfaceId)
  if (deleted === undefined) return []
  const names = namesOfInterfaces[deleted.type]
  const rules: Rule[] = []
  for (const rule of rulesOf(organization)) {
    yield
    const [condition = ''] = rule.expressions
    if ((rule.kind === 'denial' || rule.kind === 'mfaPolicy') && names.test(condition)) rules.push(rule)
  }
  return yield* inOrder([{ key: interfaceId, shown: now.named(interfaceId), rules }], now)
}

/**
 * Warns of rules that mean something else once the names of a new interface are known: of its functions, arguments and
 * accounts, whatever it calls them.
 */
export function* withInterface(parameters: unknown, { organization, now }: Around): Steps<readonly Note[]> {
  const [label = '', address = '', document = '', type = ''] = [
    ...['label', 'smartContractAddress', 'smartContractInterface', 'type'].map((name) => textUnder(parameters, name)),
  ]
  const fields = namesOfInterfaces[type.endsWith('_SOLANA') ? 'SOLANA' : 'ETHEREUM']
  const given = yield* textsIn(document)
  const uploaded = { address, names: (name: string) => given.has(plain(name)) }
  const rules: Rule[] = []
  for (const rule of rulesOf(organization)) {
    yield
    if (fields.test(rule.expressions[0] ?? '') && goesBy(rule, uploaded)) rules.push(rule)
  }
  return yield* inOrder([{ key: label, shown: text(label), rules }], now)
}

function goesBy({ kind, expressions: [condition = ''] }: Rule, uploaded: Uploaded): boolean {
  const compiled = orFailure(() => compileCondition(condition))
  const writesName = () => writtenTexts(condition).some((one) => uploaded.names(one) || position.test(one))
  if (compiled instanceof Failure) return writesName()
  const { root } = compiled
  if (kind !== 'denial' && kind !== 'mfaPolicy') return mayBeginToHold(uploaded, root)
  return readsCallsOf(uploaded.address, root) && (writesName() || goesByOtherNames(root))
}

/** An argument without a name goes by its position. */
const position = /^\d+$/

const textsOfStep = 1_000

/** Each text of a JSON document, as rules may write it. */
function* textsIn(document: string): Steps<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const [index, [quoted]] of [...document.matchAll(/"(?:[^"\\]|\\.)*"/gs)].entries()) {
    if (index % textsOfStep === 0) yield
    found.add(plain(String(JSON.parse(quoted))))
  }
  return found
}

/** Names of IDLs are read in several spellings. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}
