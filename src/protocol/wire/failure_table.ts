type Row = {
  readonly grpcCode: number
  readonly httpStatus: number
  readonly turnkeyErrorCode: string | undefined
  readonly message: string
}

/** The gRPC codes with their HTTP statuses, in the mapping that the clients of this interface expect. */
const invalidArgument = rows({ grpcCode: 3, httpStatus: 400 }, 'REQUEST_INVALID')
const notFound = rows({ grpcCode: 5, httpStatus: 404 })
const alreadyExists = rows({ grpcCode: 6, httpStatus: 409 })
const permissionDenied = rows({ grpcCode: 7, httpStatus: 403 })
const resourceExhausted = rows({ grpcCode: 8, httpStatus: 429 })
const failedPrecondition = rows({ grpcCode: 9, httpStatus: 400 })
const unavailable = rows({ grpcCode: 14, httpStatus: 503 })
const unauthenticated = rows({ grpcCode: 16, httpStatus: 401 })

function rows(status: Pick<Row, 'grpcCode' | 'httpStatus'>, category?: string) {
  return (message: string, turnkeyErrorCode = category): Row => ({ ...status, turnkeyErrorCode, message })
}

/**
 * Every refusal that a caller can cause, in one closed table. Any other error is a bug of this server and becomes a 500
 * without detail.
 *
 * The second argument is the category that clients read, `turnkeyErrorCode`; some failures have none. Some clients match
 * on parts of the message: those texts are kept verbatim.
 */
export const failures = {
  BODY_INVALID: invalidArgument('bad request body'),
  BODY_TOO_LARGE: { ...invalidArgument('the body is larger than 1 MiB'), httpStatus: 413 },
  STAMP_COUNT: invalidArgument('send exactly one stamp header'),
  FIELD_INVALID: invalidArgument('invalid request'),
  NAME_TAKEN: invalidArgument('already in use'),
  ORGANIZATION_MISMATCH: invalidArgument('organization mismatch', 'ORGANIZATION_MISMATCH'),
  WALLET_ACCOUNT_NOT_EXPORTED: invalidArgument('wallet account has not been exported', 'WALLET_ACCOUNT_NOT_EXPORTED'),
  REQUEST_STALE: invalidArgument('timestampMs is outside the accepted window', 'INVALID_TIME'),
  TRANSACTION_INVALID: invalidArgument('failed to parse transaction', 'INVALID_TRANSACTION'),
  TRANSACTION_TYPE_UNSUPPORTED: invalidArgument(
    'this transaction type is not supported',
    'UNSUPPORTED_TRANSACTION_TYPE',
  ),
  POLICY_CONSENSUS_INVALID: invalidArgument('invalid policy consensus'),
  POLICY_CONDITION_INVALID: invalidArgument('invalid policy condition'),
  POLICY_TIME_INVALID: invalidArgument('invalid policy time'),
  OAUTH2_PROVIDER_UNCONFIGURED: failedPrecondition(
    'this OAuth 2.0 provider is not configured',
    'OAUTH2_PROVIDER_NOT_CONFIGURED',
  ),
  LINKS_UNCONFIGURED: failedPrecondition(
    'no link can be mailed, because the server does not know its own address: ask its operator to set CLAVIGER_PUBLIC_URL',
  ),
  CHANGED_SINCE: failedPrecondition(
    'what this request means has changed since it was approved: ask again, so that everybody votes on what it does now',
  ),
  LINK_NOT_LOCAL: permissionDenied(
    'this link is for the machine of the server: open it there, under the name localhost and through no proxy',
  ),
  LINK_ENDED: unauthenticated(
    'this link has ended: the address to which it was mailed has changed, or the user or the credential that made it is gone',
    'PUBLIC_KEY_NOT_FOUND',
  ),
  LINK_USED: unauthenticated('this link was used before', 'PUBLIC_KEY_NOT_FOUND'),
  NOT_FOUND: notFound('not found'),
  ORGANIZATION_NOT_FOUND: notFound('no organization found with the given ID', 'ORGANIZATION_NOT_FOUND'),
  ACTIVITY_NOT_FOUND: notFound(
    'No activity found with fingerprint. Consensus activities must target an existing activity by fingerprint',
  ),
  SIGNER_NOT_FOUND: notFound('Could not find any resource to sign with.'),
  OPERATION_UNKNOWN: notFound('there is no such operation'),
  OPERATION_UNSUPPORTED: notFound('not supported yet'),
  METHOD_NOT_ALLOWED: { ...invalidArgument('use POST here'), httpStatus: 405 },
  PATH_TAKEN: alreadyExists('path already exists in wallet account'),
  OAUTH_PROVIDER_TAKEN: alreadyExists(
    'a user of this organization has this OAuth provider already',
    'OAUTH_PROVIDER_ALREADY_EXISTS',
  ),
  FORBIDDEN: permissionDenied("You don't have sufficient permissions to take this action.", 'FORBIDDEN'),
  SOURCE_FORBIDDEN: permissionDenied('request not authorized', 'REQUEST_NOT_AUTHORIZED'),
  LIMIT_REACHED: resourceExhausted('resource limit reached'),
  LIMIT_REACHED_FOR_NOW: resourceExhausted('resource limit reached'),
  RATE_LIMITED: resourceExhausted(
    'too many requests from this address, or to this organization; wait as Retry-After says',
  ),
  STAMP_MISSING: unauthenticated(
    'no valid authentication signature found for request: cannot authenticate without a stamp (X-Stamp/X-Stamp-Webauthn header)',
    'SIGNATURE_MISSING',
  ),
  STAMP_MALFORMED: unauthenticated('could not extract api key stamp', 'SIGNATURE_INVALID'),
  STAMP_INVALID: unauthenticated('could not verify api key signature', 'SIGNATURE_INVALID'),
  WEBAUTHN_STAMP_MALFORMED: unauthenticated('could not extract webauthn stamp', 'SIGNATURE_INVALID'),
  WEBAUTHN_STAMP_INVALID: unauthenticated('could not verify WebAuthN signature', 'SIGNATURE_INVALID'),
  AUTHENTICATOR_NOT_FOUND: unauthenticated(
    'credential ID could not be found in organization or its parent organization',
    'CREDENTIAL_NOT_FOUND',
  ),
  AUTHENTICATOR_AMBIGUOUS: unauthenticated(
    'more than one suborg associated with a credential ID',
    'CREDENTIAL_CONFLICT',
  ),
  ATTESTATION_INVALID: unauthenticated(
    'authentication failed: the attestation of the stamp is not valid',
    'UNAUTHENTICATED',
  ),
  USER_NOT_FOUND_BY_ATTESTATION: unauthenticated(
    'authentication failed: no user of this organization is the one that the attestation is about',
    'CREDENTIAL_NOT_FOUND',
  ),
  USER_AMBIGUOUS_BY_ATTESTATION: unauthenticated(
    'authentication failed: more than one user is the one that the attestation is about; it is of use to none of them until it is about one only',
    'CREDENTIAL_CONFLICT',
  ),
  TOKEN_INVALID: invalidArgument('invalid verification token'),
  OIDC_TOKEN_INVALID: invalidArgument('invalid OIDC token', 'INVALID_OIDC_TOKEN'),
  PASSCODE_INVALID: invalidArgument('Invalid OTP code'),
  PASSCODE_LIMIT: invalidArgument(
    'Max number of OTPs have been initiated please wait and try again',
    'MAX_OTP_INITIATED',
  ),
  CREDENTIAL_NOT_FOUND: unauthenticated(
    'could not find public key in organization or its parent organization',
    'PUBLIC_KEY_NOT_FOUND',
  ),
  CREDENTIAL_AMBIGUOUS: unauthenticated('more than one suborg associated with a public key', 'CREDENTIAL_CONFLICT'),
  CREDENTIAL_EXPIRED: unauthenticated('Unauthenticated desc = expired api key publicKey', 'API_KEY_EXPIRED'),
  UNAVAILABLE: unavailable('the service cannot answer right now; try again', 'INTERNAL'),
} as const satisfies Record<string, Row>

/** Refusals that end by themselves: the same request may be taken later. */
export const passingFailures: readonly (keyof typeof failures)[] = [
  'UNAVAILABLE',
  'LIMIT_REACHED_FOR_NOW',
  'PASSCODE_LIMIT',
]
