/** The kinds of sections of an explanation. */
export const sectionKinds = [
  /** The warnings of the title, each in full. */
  'warnings',
  /** The asking user and credential, the time, and until when approvals count. */
  'request',
  /** The rule that decides, the votes, and what is missing. */
  'rule',
  /** A transaction: chain, sender, fee, nonce. */
  'transaction',
  /** Each transfer, or each output, with its recipient and amount. */
  'transfers',
  /** The decoded call of a contract or the instructions of programs. */
  'calls',
  /** Authorizations by which others act for the key: EIP-7702. */
  'authorizations',
  'typedData',
  /** Bytes or a text to sign. */
  'payloads',
  /** Changes of values, from one to another. */
  'changes',
  /** Every parameter of the request. */
  'parameters',
  /** Why the activity failed. */
  'outcome',
] as const
export type SectionKind = (typeof sectionKinds)[number]
