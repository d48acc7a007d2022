import type { NoteCode, SectionKind } from './explanation.ts'

/** The English texts of the codes of an explanation. A translation has the same keys. */

export const sectionTexts: Readonly<Record<SectionKind, string>> = {
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

/** `{0}` and `{1}` stand for the values. Any other code is the name of an operation. */
export const titleTexts: Readonly<Record<string, string>> = {
  send: 'Send {0} to {1}',
  sendToMany: 'Send {0} to {1} recipients',
  sendToSelf: 'Send {0} back to the own key',
  sendManyTokens: 'Send {0} transfers of tokens and coins',
  approveSpender: 'Let {1} spend {0}',
  createContract: 'Create a contract',
  createContractWithAmount: 'Create a contract with {0}',
  changeCode: 'Change the code of accounts',
  changeCodeAndApproveSpender: 'Change the code of accounts, and let {1} spend {0}',
  changeCodeAndSend: 'Change the code of accounts, and send {0} to {1}',
  changeCodeAndCall: 'Change the code of accounts, and call {0} of {1}',
  changeCodeAndCallWithAmount: 'Change the code of accounts, and call {0} of {1} with {2}',
  call: 'Call {0} of {1}',
  callWithAmount: 'Call {0} of {1} with {2}',
  callContract: 'Call the contract {0}',
  callContractWithAmount: 'Call the contract {0} with {1}',
  callProgram: 'Call the program {0}',
  callPrograms: 'Call {0} programs',
  signTron: 'Sign {0} for Tron',
  authorize: 'Let the code at {0} act for the account',
  signTypedData: 'Sign typed data {0} {1}',
  signPayload: 'Sign a payload',
  signPayloads: 'Sign {0} payloads',
}

export const noteTexts: Readonly<Record<NoteCode, string>> = {
  unreadable: 'This cannot be read',
  unknownCall: 'Unknown call, selector',
  argumentsUnreadable: 'The arguments are not encoded as the interface says',
  notDecoded: 'This is not decoded',
  notInContent: 'The signed content does not say this',
  notKnownAnyMore: 'Not known any more',
  doesNotExist: 'Does not exist, or not any more',
  amountOrTokenId: 'Read as a fungible token; for a contract of single tokens, the number names the token',
  unlimited: 'UNLIMITED: the greatest amount that there is',
  everyChain: 'VALID ON EVERY CHAIN',
  feeUncertain: 'The fee is not certain: the signatures would hold for another fee too',
  onlyHash: 'Only a hash is signed: nobody can tell what it stands for',
  isTransaction: 'WARNING: these bytes are a transaction, which rules about transactions do not see',
  addressTableLookup: 'An account that only a lookup table on the chain names',
  tooMuch: 'There is more, which is not shown',
  hidden: 'not shown',
}

/** Labels and words of ours whose English is not the code itself in words. */
export const labelTexts: Readonly<Record<string, string>> = {
  requestedBy: 'requested by',
  ofParent: 'is a user of the parent organization',
  countsUntil: 'approvals count until',
  countsNow: 'counts now',
  signWith: 'signs with',
  maxFee: 'fee at most',
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
  asToken: 'read as a call of a token',
  unknown: 'not known',
  ownKey: 'the own key',
  byRequestOnly: 'stated by the request and not proved',
  newContract: 'a new contract',
  none: 'none',
  decodedBy: 'decoded by the interface',
}

/** Words for a code: `newUserTagName` and `ACTIVITY_TYPE_SIGN` become `new user tag name`, `activity type sign`. */
export function inWords(code: string): string {
  return (
    labelTexts[code] ??
    code
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .replaceAll('_', ' ')
      .toLowerCase()
  )
}
