import { describe, expect, test } from 'vitest'
import { errorAnswer, Failure, type FailureCode } from './failures.ts'

/** The gRPC code, the HTTP status that it maps to, and the category. The compiler asks for every code. */
const expected: Readonly<Record<FailureCode, readonly [number, number, string | undefined]>> = {
  BODY_INVALID: [3, 400, 'REQUEST_INVALID'],
  BODY_TOO_LARGE: [3, 413, 'REQUEST_INVALID'],
  STAMP_COUNT: [3, 400, 'REQUEST_INVALID'],
  FIELD_INVALID: [3, 400, 'REQUEST_INVALID'],
  NAME_TAKEN: [3, 400, 'REQUEST_INVALID'],
  ORGANIZATION_MISMATCH: [3, 400, 'ORGANIZATION_MISMATCH'],
  WALLET_ACCOUNT_NOT_EXPORTED: [3, 400, 'WALLET_ACCOUNT_NOT_EXPORTED'],
  REQUEST_STALE: [3, 400, 'INVALID_TIME'],
  TRANSACTION_INVALID: [3, 400, 'INVALID_TRANSACTION'],
  TRANSACTION_TYPE_UNSUPPORTED: [3, 400, 'UNSUPPORTED_TRANSACTION_TYPE'],
  POLICY_CONSENSUS_INVALID: [3, 400, 'REQUEST_INVALID'],
  POLICY_CONDITION_INVALID: [3, 400, 'REQUEST_INVALID'],
  POLICY_TIME_INVALID: [3, 400, 'REQUEST_INVALID'],
  OAUTH2_PROVIDER_UNCONFIGURED: [9, 400, 'OAUTH2_PROVIDER_NOT_CONFIGURED'],
  LINKS_UNCONFIGURED: [9, 400, undefined],
  CHANGED_SINCE: [9, 400, undefined],
  LINK_NOT_LOCAL: [7, 403, undefined],
  LINK_ENDED: [16, 401, 'PUBLIC_KEY_NOT_FOUND'],
  LINK_USED: [16, 401, 'PUBLIC_KEY_NOT_FOUND'],
  NOT_FOUND: [5, 404, undefined],
  ORGANIZATION_NOT_FOUND: [5, 404, 'ORGANIZATION_NOT_FOUND'],
  ACTIVITY_NOT_FOUND: [5, 404, undefined],
  SIGNER_NOT_FOUND: [5, 404, undefined],
  OPERATION_UNKNOWN: [5, 404, undefined],
  OPERATION_UNSUPPORTED: [5, 404, undefined],
  METHOD_NOT_ALLOWED: [3, 405, 'REQUEST_INVALID'],
  PATH_TAKEN: [6, 409, undefined],
  OAUTH_PROVIDER_TAKEN: [6, 409, 'OAUTH_PROVIDER_ALREADY_EXISTS'],
  FORBIDDEN: [7, 403, 'FORBIDDEN'],
  SOURCE_FORBIDDEN: [7, 403, 'REQUEST_NOT_AUTHORIZED'],
  LIMIT_REACHED_FOR_NOW: [8, 429, undefined],
  LIMIT_REACHED: [8, 429, undefined],
  RATE_LIMITED: [8, 429, undefined],
  STAMP_MISSING: [16, 401, 'SIGNATURE_MISSING'],
  STAMP_MALFORMED: [16, 401, 'SIGNATURE_INVALID'],
  STAMP_INVALID: [16, 401, 'SIGNATURE_INVALID'],
  WEBAUTHN_STAMP_MALFORMED: [16, 401, 'SIGNATURE_INVALID'],
  WEBAUTHN_STAMP_INVALID: [16, 401, 'SIGNATURE_INVALID'],
  AUTHENTICATOR_NOT_FOUND: [16, 401, 'CREDENTIAL_NOT_FOUND'],
  AUTHENTICATOR_AMBIGUOUS: [16, 401, 'CREDENTIAL_CONFLICT'],
  ATTESTATION_INVALID: [16, 401, 'UNAUTHENTICATED'],
  USER_NOT_FOUND_BY_ATTESTATION: [16, 401, 'CREDENTIAL_NOT_FOUND'],
  USER_AMBIGUOUS_BY_ATTESTATION: [16, 401, 'CREDENTIAL_CONFLICT'],
  TOKEN_INVALID: [3, 400, 'REQUEST_INVALID'],
  OIDC_TOKEN_INVALID: [3, 400, 'INVALID_OIDC_TOKEN'],
  PASSCODE_INVALID: [3, 400, 'REQUEST_INVALID'],
  PASSCODE_LIMIT: [3, 400, 'MAX_OTP_INITIATED'],
  CREDENTIAL_NOT_FOUND: [16, 401, 'PUBLIC_KEY_NOT_FOUND'],
  CREDENTIAL_AMBIGUOUS: [16, 401, 'CREDENTIAL_CONFLICT'],
  CREDENTIAL_EXPIRED: [16, 401, 'API_KEY_EXPIRED'],
  UNAVAILABLE: [14, 503, 'INTERNAL'],
}

/** The mapping of gRPC gateways. The failures in `ofHttpAlone` have a status of their own in HTTP. */
const httpStatuses = new Map([
  [3, 400],
  [5, 404],
  [6, 409],
  [7, 403],
  [8, 429],
  [9, 400],
  [14, 503],
  [16, 401],
])
const ofHttpAlone = new Map([
  ['BODY_TOO_LARGE', 413],
  ['METHOD_NOT_ALLOWED', 405],
])

const codes = Object.keys(expected) as FailureCode[]

describe.each(codes)('%s', (code) => {
  const [grpcCode, httpStatus, category] = expected[code]

  test('has its status, the one of its gRPC code', () => {
    expect(new Failure(code).httpStatus).toBe(httpStatus)
    expect(ofHttpAlone.get(code) ?? httpStatuses.get(grpcCode)).toBe(httpStatus)
  })

  test('answers code, message, details and its category, if it has one, in two places', () => {
    const { message, ...rest } = errorAnswer(new Failure(code))
    expect(message).toMatch(/\S/)
    expect(rest).toStrictEqual(
      category === undefined
        ? { code: grpcCode, details: [] }
        : {
            code: grpcCode,
            details: [{ '@type': 'type.googleapis.com/errors.v1.TurnkeyErrorDetail', turnkeyErrorCode: category }],
            turnkeyErrorCode: category,
          },
    )
  })
})

test.each<[FailureCode, string]>([
  ['BODY_INVALID', 'bad request body'],
  ['ORGANIZATION_MISMATCH', 'organization mismatch'],
  ['OIDC_TOKEN_INVALID', 'invalid OIDC token'],
  ['TRANSACTION_INVALID', 'failed to parse transaction'],
  ['ORGANIZATION_NOT_FOUND', 'no organization found with the given ID'],
  ['SIGNER_NOT_FOUND', 'Could not find any resource to sign with.'],
  ['PATH_TAKEN', 'path already exists in wallet account'],
  ['FORBIDDEN', "You don't have sufficient permissions to take this action."],
  ['STAMP_MISSING', 'no valid authentication signature found for request'],
  ['STAMP_MISSING', 'without a stamp (X-Stamp/X-Stamp-Webauthn header)'],
  ['STAMP_MALFORMED', 'could not extract api key stamp'],
  ['STAMP_INVALID', 'could not verify api key signature'],
  ['CREDENTIAL_NOT_FOUND', 'could not find public key in organization or its parent organization'],
  ['CREDENTIAL_NOT_FOUND', 'could not find public key in organization'],
  ['CREDENTIAL_AMBIGUOUS', 'more than one suborg associated with a public key'],
  ['CREDENTIAL_EXPIRED', 'expired api key publicKey'],
])('the message of %s has the text on which clients match: %s', (code, text) => {
  expect(new Failure(code).message).toContain(text)
})

describe('a message', () => {
  const fieldPath = 'parameters.accounts[2].path'

  test.each([
    ['the code alone', {}, 'invalid request'],
    ['a field', { fieldPath }, `invalid request: ${fieldPath}`],
    ['a field and what it must be', { fieldPath, expected: 'a path' }, `invalid request: ${fieldPath} must be a path`],
    ['a reason', { reason: 'too many' }, 'invalid request: too many'],
    [
      'all of them',
      { fieldPath, expected: 'a path', reason: 'too deep' },
      `invalid request: ${fieldPath} must be a path: too deep`,
    ],
  ])('of %s', (_name, detail, message) => {
    expect(new Failure('FIELD_INVALID', detail).message).toBe(message)
  })

  const forbidden = "You don't have sufficient permissions to take this action."
  const unknownSigner = 'Could not find any resource to sign with.'
  test.each([
    ['a reason', new Failure('FORBIDDEN', 'this is for others'), `${forbidden} Reason: this is for others`],
    [
      'a denial',
      new Failure('FORBIDDEN', { denied: { reason: 'no rule', evaluations: [] } }),
      `${forbidden} Reason: no rule`,
    ],
    [
      'a field',
      new Failure('SIGNER_NOT_FOUND', { fieldPath: 'parameters.signWith', expected: 'an address' }),
      `${unknownSigner} parameters.signWith must be an address`,
    ],
    ['nothing', new Failure('FORBIDDEN'), forbidden],
  ])('that is a sentence goes on with another sentence for %s', (_name, failure, message) => {
    expect(failure.message).toBe(message)
  })

  test('does not contain the cause, nor does the answer: the cause is for the log', () => {
    const failure = new Failure('STAMP_MALFORMED', { reason: 'it must be hex', cause: new Error('inside of ours') })
    expect(failure.cause).toEqual(new Error('inside of ours'))
    expect(JSON.stringify([failure.message, errorAnswer(failure)])).not.toContain('inside of ours')
  })
})

test('a field at fault is named in the details as a violation, beside the category', () => {
  const violationsOf = (detail: ConstructorParameters<typeof Failure>[1]) =>
    errorAnswer(new Failure('FIELD_INVALID', detail)).details.slice(1)
  const violation = (description: string) => ({
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [{ field: 'parameters.path', description }],
  })
  expect(violationsOf({ fieldPath: 'parameters.path', expected: 'a path' })).toStrictEqual([violation('a path')])
  expect(violationsOf({ fieldPath: 'parameters.path' })).toStrictEqual([violation('invalid request: parameters.path')])
  expect(violationsOf({ expected: 'a path' })).toStrictEqual([])
})

test('a failure is an error with a name, a code and the field', () => {
  const failure = new Failure('NAME_TAKEN', { fieldPath: 'parameters.walletName' })
  expect(failure).toBeInstanceOf(Error)
  expect(failure).toMatchObject({ name: 'Failure', code: 'NAME_TAKEN', fieldPath: 'parameters.walletName' })
  expect(failure.stack).toContain('failures.test.ts')
})
