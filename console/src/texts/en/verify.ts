import type { Translations } from '../../../../src/policy/language/message.ts'

export const verify = {
  title: 'Verify a proof',
  about:
    'Checks the proof of an activity by its file alone. This page asks no server: save it, and open it from your disk.',
  proof: 'Proof',
  proofHint: 'The file that Download proof of the console has given, or a tlog-proof with its entry.',
  policy: 'Policy',
  policyHint:
    'Says whose keys and cosignatures are enough. Get it from the operator beforehand, or from somebody whom you trust, and not together with the proof. Without one nobody vouches for the keys.',
  unreadable: (name: string) => `${name} cannot be read`,
  proven: 'Proven',
  provenAbout: 'All entries are in logs that the policy accepts.',
  unvouched: 'Right, but nobody vouches for the keys',
  unvouchedAbout:
    'All entries are in trees that the keys of the file have signed. Who made the file may have made these keys: choose a policy.',
  refused: 'Not proven',
  refusedAbout: 'At least one entry is not proven. Do not rely on this file.',
  entry: (place: number) => `Entry ${place}`,
  reason: 'Why not',
  /** Translations of refusals. */
  reasons: {} as Translations,
  organization: 'Organization',
  activity: 'Activity',
  version: 'Version',
  type: 'Type',
  status: 'Status',
  decided: 'Decided',
  log: 'Log',
  index: 'Index',
  size: 'Entries in the tree',
  witnesses: 'Cosigned by',
  nobody: 'nobody whom the policy names',
  documentDigest: 'SHA-256 of the document',
  document: 'Document',
  remarks: 'Remarks',
  isLate: 'entered after it had left the vault',
  isTakenUp: 'found in the database: the log knows the change by its key alone',
  isOfOperator: 'an act of the operator',
  uncovered: (versions: string) =>
    `The file has no entry for version ${versions}: the log had not published it, or began later.`,
  limits:
    'A proof shows that the vault entered this decision, when, and with which outcome. It does not show that the rules allowed it, nor that no other entry is missing: an export of the organization does.',
  language: 'Language',
}
