import { describe, expect, test } from 'vitest'
import { type Admission, type AdmissionFacts, admissionOf } from './admission.ts'
import { type Move, type MoveFacts, moveOf, statusAfter } from './move.ts'

/** Both tables in whole: each combination of facts is in exactly one row here, and the row says what follows. */

type Row<Facts, Outcome> = readonly [sentence: string, outcome: Outcome, isIn: (facts: Facts) => boolean]

const eitherWay = [false, true] as const
const rulings = ['allow', 'consensus', 'deny'] as const

/** Every combination of the values of the fields. */
function combinations<Facts>(fields: { readonly [Name in keyof Facts]: readonly Facts[Name][] }): readonly Facts[] {
  const entries = Object.entries(fields) as [keyof Facts, readonly Facts[keyof Facts][]][]
  return entries.reduce<readonly Facts[]>(
    (found, [name, values]) => found.flatMap((facts) => values.map((value) => ({ ...facts, [name]: value }))),
    [{} as Facts],
  )
}

function testTable<Facts, Outcome>(
  all: readonly Facts[],
  { rows, outcomeOf }: { readonly rows: readonly Row<Facts, Outcome>[]; readonly outcomeOf: (facts: Facts) => Outcome },
): void {
  test('each combination is in one row', () => {
    const counts = all.map((facts) => rows.filter(([, , isIn]) => isIn(facts)).length)
    expect(new Set(counts)).toEqual(new Set([1]))
  })

  test.each(rows)('%s: %s', (_, outcome, isIn) => {
    const found = all.filter(isIn)
    expect(found.length).toBeGreaterThan(0)
    expect(new Set(found.map(outcomeOf))).toEqual(new Set([outcome]))
  })
}

describe('whether a vote may be cast', () => {
  const isStranger = ({ isAsked, wasAsked }: AdmissionFacts) => !isAsked && !wasAsked
  /** An approval that is asked for now, with other bytes than those before. */
  const isNew = (facts: AdmissionFacts) => facts.isAsked && !facts.isRejection && !facts.isRepeated
  const waitsForSubmitter = (facts: AdmissionFacts) => facts.submitterOwes && !facts.isSubmitter
  const mayGoOn = (facts: AdmissionFacts) => isNew(facts) && !waitsForSubmitter(facts)
  const isSound = (facts: AdmissionFacts) => mayGoOn(facts) && (facts.owes ? facts.takesStep : !facts.isAttested)
  testTable<AdmissionFacts, Admission>(
    combinations<AdmissionFacts>({
      isRejection: eitherWay,
      isAsked: eitherWay,
      wasAsked: eitherWay,
      isSubmitter: eitherWay,
      isRepeated: eitherWay,
      hasApproved: eitherWay,
      addsCredential: eitherWay,
      isAttested: eitherWay,
      submitterOwes: eitherWay,
      owes: eitherWay,
      takesStep: eitherWay,
    }),
    {
      outcomeOf: admissionOf,
      rows: [
        ['whoever was never asked has no vote', 'notAsked', isStranger],
        [
          'whoever is or was asked may reject, with a credential',
          'counts',
          (facts) => !isStranger(facts) && facts.isRejection && !facts.isAttested,
        ],
        [
          'nobody rejects by a token or an identity',
          'credentialNeeded',
          (facts) => !isStranger(facts) && facts.isRejection && facts.isAttested,
        ],
        [
          'whoever was asked, and is not asked now, cannot approve, also by bytes that counted once',
          'notNow',
          (facts) => !facts.isAsked && facts.wasAsked && !facts.isRejection,
        ],
        [
          'an approval by the same bytes changes nothing',
          'repeats',
          (facts) => facts.isAsked && !facts.isRejection && facts.isRepeated,
        ],
        [
          'others wait until the submitter has taken all steps',
          'submitterFirst',
          (facts) => isNew(facts) && waitsForSubmitter(facts),
        ],
        ['whoever owes a step takes it first', 'stepDue', (facts) => mayGoOn(facts) && facts.owes && !facts.takesStep],
        [
          'whoever owes no step approves with a credential',
          'credentialNeeded',
          (facts) => mayGoOn(facts) && !facts.owes && facts.isAttested,
        ],
        [
          'a second approval that adds no credential counts only if the activity runs by it',
          'countsIfAllowed',
          (facts) => isSound(facts) && facts.hasApproved && !facts.addsCredential,
        ],
        [
          'any other approval counts',
          'counts',
          (facts) => isSound(facts) && (!facts.hasApproved || facts.addsCredential),
        ],
      ],
    },
  )
})

describe('what a vote does', () => {
  const isApproval = ({ isRejection }: MoveFacts) => !isRejection
  const isSubmitted = (facts: MoveFacts) => isApproval(facts) && facts.isSubmission
  const isRefused = (facts: MoveFacts) =>
    isSubmitted(facts) && (facts.ruling === 'deny' || (facts.submitterOwes && facts.isOfParent))
  const runs = ({ ruling, submitterOwes }: MoveFacts) => ruling === 'allow' && !submitterOwes
  testTable<MoveFacts, Move>(
    combinations<MoveFacts>({
      isSubmission: eitherWay,
      isRejection: eitherWay,
      ruling: rulings,
      submitterOwes: eitherWay,
      isOfParent: eitherWay,
    }),
    {
      outcomeOf: moveOf,
      rows: [
        ['a rejection ends the activity, whatever the rules say', 'rejects', ({ isRejection }) => isRejection],
        [
          'a submission that a rule denies is refused',
          'denied',
          (facts) => isSubmitted(facts) && facts.ruling === 'deny',
        ],
        [
          'a user of the parent who owes a step is refused: nobody here can vote',
          'stepDue',
          (facts) => isRefused(facts) && facts.ruling !== 'deny',
        ],
        [
          'what the rules allow runs, once its submitter owes nothing',
          'runs',
          (facts) => isApproval(facts) && !isRefused(facts) && runs(facts),
        ],
        [
          'anything else waits, also what a rule denies by now',
          'waits',
          (facts) => isApproval(facts) && !isRefused(facts) && !runs(facts),
        ],
      ],
    },
  )
})

test('each move leaves the activity in one status, and the steps of the submitter come before votes of others', () => {
  const statuses = (['runs', 'rejects', 'waits'] as const).map((move) =>
    eitherWay.map((submitterOwes) => statusAfter(move, { submitterOwes })),
  )
  expect(statuses).toEqual([
    ['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_COMPLETED'],
    ['ACTIVITY_STATUS_REJECTED', 'ACTIVITY_STATUS_REJECTED'],
    ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'],
  ])
})
