import { bytesToHex } from '@noble/hashes/utils.js'
import { nearestWord } from '../tools/nearest_word.ts'
import { numberIn, textIn } from './lines.ts'
import { type KeyType, readVerifierKey, type VerifierKey } from './notes/verifier_keys.ts'
import { inner, Malformed, type Reading, reading } from './reading.ts'

/** Which checkpoints are accepted: those of one of the logs that enough witnesses have cosigned (C2SP tlog-policy). */
export type Policy = {
  readonly logs: readonly PolicyLog[]
  readonly witnesses: readonly PolicyWitness[]
  /** In the order of the file: members are witnesses, and groups before it. */
  readonly groups: readonly PolicyGroup[]
  /** The name of a witness or a group, or `none`. */
  readonly quorum: string
}

/** The origin of the log is the name of its key. */
export type PolicyLog = { readonly key: VerifierKey; readonly url: string | undefined }

/** The name is one of the policy. Names are octets, each of which is one character here. */
export type PolicyWitness = PolicyLog & { readonly name: string }

export type PolicyGroup = { readonly name: string; readonly threshold: number; readonly members: readonly string[] }

export const policyBytesMax = 524_288
/** Without comments and empty lines. The specification asks for 32 logs, 32 witnesses and 32 groups at least. */
export const policyLinesMax = 512

const noQuorum = 'none'
const cosignatureTypes: readonly KeyType[] = ['Ed25519 cosignature', 'ML-DSA-44 cosignature']

/** Reads the file of a policy. */
export function readPolicy(bytes: Uint8Array): Reading<Policy> {
  return reading(() => {
    const { logs, witnesses, groups, quorum } = draftIn(bytes)
    if (quorum === undefined) throw new Malformed('there is no quorum')
    return { logs, witnesses, groups, quorum }
  })
}

/** Reads a file that has lines of a policy for logs, and no others. */
export function readPolicyLogs(bytes: Uint8Array): Reading<readonly PolicyLog[]> {
  return reading(() => {
    const { logs, witnesses, quorum } = draftIn(bytes)
    if (witnesses.length > 0 || quorum !== undefined) throw new Malformed('there are lines that are not of a log')
    return logs
  })
}

/** Whether these witnesses, by their names in the policy, are a quorum of it. */
export function isQuorum(names: ReadonlySet<string>, { groups, quorum }: Policy): boolean {
  const witnessed = new Set([...names, noQuorum])
  for (const { name, threshold, members } of groups) {
    if (members.filter((member) => witnessed.has(member)).length >= threshold) witnessed.add(name)
  }
  return witnessed.has(quorum)
}

type Draft = {
  readonly logs: readonly PolicyLog[]
  readonly witnesses: readonly PolicyWitness[]
  readonly groups: readonly PolicyGroup[]
  /** All members of groups. */
  readonly members: ReadonlySet<string>
  readonly quorum: string | undefined
}

function draftIn(bytes: Uint8Array): Draft {
  if (bytes.length > policyBytesMax) throw new Malformed(`a policy has ${policyBytesMax} bytes at most`)
  const lines = octetsOf(bytes)
    .split('\n')
    .map((line, at) => ({ number: at + 1, items: line.split(/[ \t]+/).filter((item) => item !== '') }))
    .filter(({ items: [keyword] }) => keyword !== undefined && !keyword.startsWith('#'))
  if (lines.length > policyLinesMax) throw new Malformed(`a policy has ${policyLinesMax} lines at most`)
  const empty: Draft = { logs: [], witnesses: [], groups: [], members: new Set(), quorum: undefined }
  return lines.reduce((draft, { number, items }) => {
    const found = reading(() => withLine(draft, items))
    if (found.kind === 'malformed') throw new Malformed(`line ${number}: ${found.reason}`)
    return found.value
  }, empty)
}

const keywords = ['log', 'witness', 'group', 'quorum']

function withLine(draft: Draft, [keyword = '', ...items]: readonly string[]): Draft {
  const { logs, witnesses, groups } = draft
  switch (keyword) {
    case 'log':
      return { ...draft, logs: [...logs, logIn(items, logs)] }
    case 'witness':
      return { ...draft, witnesses: [...witnesses, witnessIn(items, draft)] }
    case 'group': {
      const group = groupIn(items, draft)
      return { ...draft, groups: [...groups, group], members: new Set([...draft.members, ...group.members]) }
    }
    case 'quorum':
      return { ...draft, quorum: quorumIn(items, draft) }
    default: {
      const meant = nearestWord(keyword, keywords)
      if (meant === undefined) throw new Malformed('a line begins with log, witness, group, quorum or #')
      throw new Malformed(`a line begins with log, witness, group, quorum or #: did you mean ${meant}?`)
    }
  }
}

function logIn([text, url, ...others]: readonly string[], logs: readonly PolicyLog[]): PolicyLog {
  if (text === undefined || others.length > 0) throw new Malformed('a log has a key, and may have a URL')
  return { key: newKey(text, logs), url }
}

function witnessIn([name, text, url, ...others]: readonly string[], draft: Draft): PolicyWitness {
  if (name === undefined || text === undefined || others.length > 0) {
    throw new Malformed('a witness has a name and a key, and may have a URL')
  }
  const key = newKey(text, draft.witnesses)
  if (!cosignatureTypes.includes(key.type)) throw new Malformed('the key of a witness is one for cosignatures')
  return { name: newName(name, draft), key, url }
}

function groupIn([name, threshold, ...members]: readonly string[], draft: Draft): PolicyGroup {
  if (name === undefined || threshold === undefined) throw new Malformed('a group has a name and a threshold')
  const count = thresholdIn(threshold, members)
  if (count < 1 || count > members.length) throw new Malformed('the threshold is no number of members')
  for (const [at, member] of members.entries()) {
    if (!isDefined(member, draft)) throw new Malformed('a member of a group is defined on a line before it')
    if (draft.members.has(member) || members.indexOf(member) < at) throw new Malformed('a name is a member once')
  }
  return { name: newName(name, draft), threshold: count, members }
}

function thresholdIn(text: string, members: readonly string[]): number {
  if (text === 'any') return 1
  return text === 'all' ? members.length : numberIn(text)
}

function quorumIn([name, ...others]: readonly string[], draft: Draft): string {
  if (name === undefined || others.length > 0) throw new Malformed('the quorum is one name')
  if (draft.quorum !== undefined) throw new Malformed('there is one quorum only')
  if (name !== noQuorum && !isDefined(name, draft)) throw new Malformed('the quorum is defined on a line before it')
  return name
}

function newKey(text: string, known: readonly PolicyLog[]): VerifierKey {
  const octets = Uint8Array.from(text, (octet) => octet.charCodeAt(0))
  const key = inner(readVerifierKey(textIn(octets, { bytesMax: policyBytesMax })))
  const digits = bytesToHex(key.publicKey)
  if (known.some((other) => bytesToHex(other.key.publicKey) === digits)) throw new Malformed('a key is there twice')
  return key
}

function newName(name: string, draft: Draft): string {
  if (name === noQuorum || isDefined(name, draft)) throw new Malformed('a name is defined once, and is not none')
  return name
}

function isDefined(name: string, { witnesses, groups }: Draft): boolean {
  return [...witnesses, ...groups].some((other) => other.name === name)
}

/** One character for each octet. Control characters other than tabs and line feeds are refused. */
function octetsOf(bytes: Uint8Array): string {
  if (bytes.some((byte) => (byte < 0x20 && byte !== 0x09 && byte !== 0x0a) || byte === 0x7f)) {
    throw new Malformed('there is a control character')
  }
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}
