import type { NoteCode } from '../codes/note_codes.ts'
import type { SectionKind } from '../codes/section_kinds.ts'
import type { Note, Title, Value } from '../explanation.ts'
import { shownWarnings } from '../warnings.ts'
import { noteTexts } from './note_texts.ts'
import { type TitleCode, titleTexts } from './title_texts.ts'

/** The texts of the codes of an explanation in one language. */
export type ExplanationTexts = {
  readonly sections: Readonly<Record<SectionKind, string>>
  /** `{0}` and `{1}` stand for the values. Any other code is the name of an operation, which `labels` translates. */
  readonly titles: Readonly<Record<TitleCode, string>>
  /** Stands before a title with warnings. `{0}`: those that are shown, `{1}`: how many more there are. */
  readonly warned: { readonly one: string; readonly several: string }
  /** `{0}` and `{1}` stand for the values. */
  readonly notes: Readonly<Record<NoteCode, string>>
  /** Labels and words of ours. A code that is not here is shown as its own words. */
  readonly labels: Readonly<Record<string, string>>
}

const sections: ExplanationTexts['sections'] = {
  warnings: 'Warnings',
  request: 'Request',
  rule: 'Decision',
  transaction: 'Transaction',
  transfers: 'Transfers',
  calls: 'Calls',
  authorizations: 'Authorizations',
  typedData: 'Typed data',
  payloads: 'Payloads',
  changes: 'Changes',
  parameters: 'Parameters',
  outcome: 'Outcome',
}

/** No text that somebody set stands at the beginning of a title. */
export const warningStart = 'WARNING: '
const warned: ExplanationTexts['warned'] = {
  one: `${warningStart}{0}. `,
  several: `${warningStart}{0}, and {1} more. `,
}

/** Labels and words of ours whose English is not the code itself in words. */
const labels: ExplanationTexts['labels'] = {
  requestedBy: 'requested by',
  ofParent: 'is a user of the parent organization',
  inheritedValue: 'value of the parent organization',
  countsUntil: 'approvals count until',
  countsNow: 'counts now',
  signWith: 'signs with',
  maxFee: 'fee at most',
  priorityFee: 'priority fee at most',
  keyExports: 'exports of keys',
  keyDeletions: 'deletions of keys',
  keyImports: 'imports of keys',
  keyNames: 'names and tags of keys',
  contractInterfaces: 'interfaces of contracts',
  appDeployments: 'deployments of apps',
  mfaPolicies: 'MFA policies',
  newKeys: 'new wallets and keys',
  newSubOrganizations: 'new sub-organizations',
  logins: 'logins',
  repeatedDeliveries: 'repeated deliveries to webhooks',
  organizationSettings: 'settings of the organization',
  signatures: 'signatures',
  users: 'users',
  memo: 'memo of the requester',
  mfa: 'authentication steps',
  canComplete: 'whose approval completes it',
  canApprove: 'who may approve; one approval alone is not enough',
  canAlsoApprove: 'who may approve or reject as well',
  missing: 'approvals missing',
  decides: 'who decides',
  alreadyAllowed: 'the rules already allow it: any approval by a voter runs it',
  policiesOrRootQuorum: 'the policies that wait, or the root quorum',
  rootQuorumOnly: 'only the root quorum: no policy allows it now',
  rootQuorumOrOwn: 'the root quorum, or the user for own credentials',
  authProxy: 'the auth proxy, which the root quorum allows to ask this without a stamp',
  unstamped: 'none: nobody stamped it',
  asToken: 'read as a call of a token',
  unknown: 'not known',
  declaration: 'declared as',
  knownAs: 'known here as',
  functionsLeftOut: 'more functions',
  claimed: 'what an uploaded interface says',
  unnamedAccounts: 'accounts without a name',
  ownKey: 'the own key',
  ownAccount: 'an own account of the same wallet',
  readsAs: 'what these bytes say',
  authority: 'for the account',
  asset_name: 'token (TRC-10)',
  token_id: 'token (TRC-10)',
  exportedTo: 'encrypted for the key',
  leaves: 'the secret that leaves',
  mnemonicOfWallet: 'the mnemonic, from which every account of the wallet is derived',
  keyOfAccount: 'the private key of this account',
  privateKeyItself: 'the private key',
  exportedBefore: 'was exported before',
  takenFrom: 'taken from',
  about: 'holds for',
  organizationAndBelow: 'the organization and its sub-organizations',
  byToken: 'stated by a token, which is verified before it counts',
  byClaims: 'stated by the request, for an account that a token in the same request proves',
  countedFor: 'counted for',
  eachUser: 'each user',
  eachSignature: 'signatures; each payload and each transaction that is signed counts',
  wholeActivities: 'activities; one that signs several payloads, or makes several records, counts once',
  eachWallet: 'each wallet or private key',
  withoutEnd: 'without end',
  rootUsersCount: 'root users',
  rootUser: 'root user',
  daysToAccept: 'days to accept',
  accountRole: 'role in the call',
  // `mint` is a function of contracts.
  tokenMint: 'mint',
  ownerProgram: 'program with the control',
  base: 'key from which the address comes',
  baseAccount: 'account from which the address comes',
  space: 'space in bytes',
  batch: 'consists of',
  durableNonce: 'durable nonce',
  withheldFee: 'fee that is withheld from the amount',
  unreadableAddress: 'an address that cannot be read',
  unreadableAmount: 'an amount that cannot be read',
  presentCustodian: 'the custodian that it has',
  asked: 'what the offerer gets',
  noOutput: 'no output',
  oneOutput: 'one output alone',
  othersMayAdd: 'others may add',
  accountOfCaller: 'the account of the caller',
  feesOfOperations: 'the fees of the operations',
  hiddenAmount: 'an amount that only its owners can read',
  withheldFees: 'the fees that were withheld from transfers',
  excessLamports: 'all lamports beyond the rent',
  allLamports: 'all lamports',
  feeBasisPoints: 'fee of transfers in hundredths of a percent',
  feeMax: 'fee of a transfer at most',
  endedSessions: 'sessions that end',
  linkMailedTo: 'the link is mailed to',
  linkForKey: 'the link has the key',
  linkWorksFor: 'the link works for',
  expirationSeconds: 'expires after',
  otpExpirationSeconds: 'a passcode expires after',
  sessionExpirationSeconds: 'a session expires after',
  switchedOff: 'switched off',
  ethereumLike: 'Ethereum and chains of its kind',
  VELOCITY_CONTROL_AGGREGATION_METHOD_SUM: 'the sum of the amounts',
  VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT: 'the number of events',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN: 'less than the threshold',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL: 'at most the threshold',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_EQUAL: 'equal to the threshold',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN_OR_EQUAL: 'at least the threshold',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN: 'more than the threshold',
  withPrivateKeys: 'with the private keys',
  byRequestOnly: 'stated by the request and not proved',
  newContract: 'a new contract',
  anyQuery: 'any query',
  unknownRequest: 'an unknown one',
  thisOrganization: 'this organization',
  unknownOrganization: 'an unknown organization',
  signingAccount: 'the account that signs',
  unknownFunction: 'a function that is not known',
  unnamedRecipients: 'somebody whom only a hash names',
  none: 'none',
  whoeverExecutes: 'whoever executes it',
  decodedBy: 'decoded by the interface',
  notSigned: 'not signed, because no type names it',
  domainTypes: 'types of the domain',
  unusedTypes: 'types that nothing uses',
  PAYLOAD_ENCODING_HEXADECIMAL: 'hexadecimal',
  PAYLOAD_ENCODING_TEXT_UTF8: 'text (UTF-8)',
  PAYLOAD_ENCODING_EIP712: 'typed data (EIP-712)',
  PAYLOAD_ENCODING_EIP7702_AUTHORIZATION: 'authorization (EIP-7702)',
  EFFECT_ALLOW: 'allows',
  EFFECT_DENY: 'denies',
  HASH_FUNCTION_NO_OP: 'none: the payload is signed as it is',
  HASH_FUNCTION_SHA256: 'SHA-256',
  HASH_FUNCTION_KECCAK256: 'Keccak-256',
  HASH_FUNCTION_NOT_APPLICABLE: 'that of Ed25519',
  TRANSACTION_TYPE_ETHEREUM: 'Ethereum',
  TRANSACTION_TYPE_SOLANA: 'Solana',
  TRANSACTION_TYPE_TRON: 'Tron',
  TRANSACTION_TYPE_BITCOIN: 'Bitcoin',
  VOTE_SELECTION_APPROVED: 'approved',
  VOTE_SELECTION_REJECTED: 'rejected',
  AUTHENTICATION_TYPE_API_KEY: 'API key',
  AUTHENTICATION_TYPE_PASSKEY: 'passkey',
  AUTHENTICATION_TYPE_EMAIL_OTP: 'code by e-mail',
  AUTHENTICATION_TYPE_SMS_OTP: 'code by text message',
  AUTHENTICATION_TYPE_OAUTH: 'OAuth login',
  AUTHENTICATION_TYPE_SESSION: 'session',
}

export const englishTexts: ExplanationTexts = { sections, titles: titleTexts, warned, notes: noteTexts, labels }

/** Words for a code: `newUserTagName` and `ACTIVITY_TYPE_SIGN_V2` become `new user tag name` and `sign`. */
export function inWords(code: string, texts: ExplanationTexts = englishTexts): string {
  if (Object.hasOwn(texts.labels, code)) return texts.labels[code] ?? code
  return code
    .replace(/^ACTIVITY_(STATUS_(\w+)|TYPE_(\w+?)(_V\d+)?)$/, '$2$3')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
}

/** Words of ours, and the values between them. */
export type TextParts = readonly (string | Value)[]

/** The parts of a title in their order. Its warnings come first. */
export function titleParts(title: Title, texts: ExplanationTexts = englishTexts): TextParts {
  return [...warningParts(title, texts), ...sentenceParts(title, texts)]
}

/** The words before a title's sentence: its worst warning, those always shown beside it, and the number of others. */
export function warningParts(title: Title, texts: ExplanationTexts): TextParts {
  const shown = shownWarnings(title)
  if (shown.length === 0) return []
  const { one, several } = texts.warned
  const more = (title.warnings ?? []).length - shown.length
  const parts = shown.flatMap((warning, index) => [...(index === 0 ? [] : ['; ']), ...noteParts(warning, texts)])
  return filled(more === 0 ? one : several, [parts, [String(more)]])
}

export function sentenceParts({ code, values }: Title, texts: ExplanationTexts): TextParts {
  const text = Object.entries(texts.titles).find(([key]) => key === code)?.[1]
  if (text !== undefined)
    return filled(
      text,
      values.map((value) => (value.kind === 'note' ? noteParts(value, texts) : [value])),
    )
  const words = inWords(code, texts)
  const name = words.charAt(0).toUpperCase() + words.slice(1)
  const listed = values.flatMap((value, index) => (index === 0 ? [value] : [', ', value]))
  return listed.length === 0 ? [name] : [`${name}: `, ...listed]
}

/** The parts of a note without its detail. A note in it is part of its sentence. */
export function noteParts({ code, values = [] }: Note, texts: ExplanationTexts = englishTexts): TextParts {
  return filled(
    texts.notes[code],
    values.map((value) => (value.kind === 'note' ? noteParts(value, texts) : [value])),
  )
}

function filled(text: string, places: readonly TextParts[]): TextParts {
  return text.split(/(\{[0-9]\})/).flatMap((part): TextParts => {
    if (/^\{[0-9]\}$/.test(part)) return places[Number(part.charAt(1))] ?? []
    return part === '' ? [] : [part]
  })
}
