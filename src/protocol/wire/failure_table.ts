/**
 * Every refusal that a caller can cause, in one closed table. Any other error is a bug of this server and becomes a 500
 * without detail.
 *
 * `grpcCode` and `httpStatus` follow the gRPC to HTTP mapping that the clients of this interface expect.
 * `turnkeyErrorCode` is the category that clients read; some failures have none. Some clients match on parts of
 * `message`: those texts are kept verbatim.
 */
export const failures = {
  BODY_INVALID: { grpcCode: 3, httpStatus: 400, turnkeyErrorCode: 'REQUEST_INVALID', message: 'bad request body' },
  BODY_TOO_LARGE: {
    grpcCode: 3,
    httpStatus: 413,
    turnkeyErrorCode: 'REQUEST_INVALID',
    message: 'the body is larger than 1 MiB',
  },
  STAMP_COUNT: {
    grpcCode: 3,
    httpStatus: 400,
    turnkeyErrorCode: 'REQUEST_INVALID',
    message: 'send exactly one stamp header',
  },
  FIELD_INVALID: { grpcCode: 3, httpStatus: 400, turnkeyErrorCode: 'REQUEST_INVALID', message: 'invalid request' },
  NAME_TAKEN: { grpcCode: 3, httpStatus: 400, turnkeyErrorCode: 'REQUEST_INVALID', message: 'already in use' },
  ORGANIZATION_MISMATCH: {
    grpcCode: 3,
    httpStatus: 400,
    turnkeyErrorCode: 'ORGANIZATION_MISMATCH',
    message: 'organization mismatch',
  },
  WALLET_ACCOUNT_NOT_EXPORTED: {
    grpcCode: 3,
    httpStatus: 400,
    turnkeyErrorCode: 'WALLET_ACCOUNT_NOT_EXPORTED',
    message: 'wallet account has not been exported',
  },
  REQUEST_STALE: {
    grpcCode: 3,
    httpStatus: 400,
    turnkeyErrorCode: 'INVALID_TIME',
    message: 'timestampMs is outside the accepted window',
  },
  TRANSACTION_INVALID: {
    grpcCode: 3,
    httpStatus: 400,
    turnkeyErrorCode: 'INVALID_TRANSACTION',
    message: 'failed to parse transaction',
  },
  TRANSACTION_TYPE_UNSUPPORTED: {
    grpcCode: 3,
    httpStatus: 400,
    turnkeyErrorCode: 'UNSUPPORTED_TRANSACTION_TYPE',
    message: 'this transaction type is not supported',
  },
  POLICY_CONSENSUS_INVALID: {
    grpcCode: 3,
    httpStatus: 400,
    turnkeyErrorCode: 'REQUEST_INVALID',
    message: 'invalid policy consensus',
  },
  POLICY_CONDITION_INVALID: {
    grpcCode: 3,
    httpStatus: 400,
    turnkeyErrorCode: 'REQUEST_INVALID',
    message: 'invalid policy condition',
  },
  POLICY_TIME_INVALID: {
    grpcCode: 3,
    httpStatus: 400,
    turnkeyErrorCode: 'REQUEST_INVALID',
    message: 'invalid policy time',
  },
  OAUTH2_PROVIDER_UNCONFIGURED: {
    grpcCode: 9,
    httpStatus: 400,
    turnkeyErrorCode: 'OAUTH2_PROVIDER_NOT_CONFIGURED',
    message: 'this OAuth 2.0 provider is not configured',
  },
  NOT_FOUND: { grpcCode: 5, httpStatus: 404, turnkeyErrorCode: undefined, message: 'not found' },
  ORGANIZATION_NOT_FOUND: {
    grpcCode: 5,
    httpStatus: 404,
    turnkeyErrorCode: 'ORGANIZATION_NOT_FOUND',
    message: 'no organization found with the given ID',
  },
  ACTIVITY_NOT_FOUND: {
    grpcCode: 5,
    httpStatus: 404,
    turnkeyErrorCode: undefined,
    message: 'No activity found with fingerprint. Consensus activities must target an existing activity by fingerprint',
  },
  SIGNER_NOT_FOUND: {
    grpcCode: 5,
    httpStatus: 404,
    turnkeyErrorCode: undefined,
    message: 'Could not find any resource to sign with.',
  },
  OPERATION_UNKNOWN: {
    grpcCode: 5,
    httpStatus: 404,
    turnkeyErrorCode: undefined,
    message: 'there is no such operation',
  },
  OPERATION_UNSUPPORTED: {
    grpcCode: 5,
    httpStatus: 404,
    turnkeyErrorCode: undefined,
    message: 'not supported yet',
  },
  METHOD_NOT_ALLOWED: {
    grpcCode: 3,
    httpStatus: 405,
    turnkeyErrorCode: 'REQUEST_INVALID',
    message: 'use POST here',
  },
  PATH_TAKEN: {
    grpcCode: 6,
    httpStatus: 409,
    turnkeyErrorCode: undefined,
    message: 'path already exists in wallet account',
  },
  OAUTH_PROVIDER_TAKEN: {
    grpcCode: 6,
    httpStatus: 409,
    turnkeyErrorCode: 'OAUTH_PROVIDER_ALREADY_EXISTS',
    message: 'a user of this organization has this OAuth provider already',
  },
  FORBIDDEN: {
    grpcCode: 7,
    httpStatus: 403,
    turnkeyErrorCode: 'FORBIDDEN',
    message: "You don't have sufficient permissions to take this action.",
  },
  SOURCE_FORBIDDEN: {
    grpcCode: 7,
    httpStatus: 403,
    turnkeyErrorCode: 'REQUEST_NOT_AUTHORIZED',
    message: 'request not authorized',
  },
  LIMIT_REACHED: { grpcCode: 8, httpStatus: 429, turnkeyErrorCode: undefined, message: 'resource limit reached' },
  STAMP_MISSING: {
    grpcCode: 16,
    httpStatus: 401,
    turnkeyErrorCode: 'SIGNATURE_MISSING',
    message:
      'no valid authentication signature found for request: cannot authenticate without a stamp (X-Stamp/X-Stamp-Webauthn header)',
  },
  STAMP_MALFORMED: {
    grpcCode: 16,
    httpStatus: 401,
    turnkeyErrorCode: 'SIGNATURE_INVALID',
    message: 'could not extract api key stamp',
  },
  STAMP_INVALID: {
    grpcCode: 16,
    httpStatus: 401,
    turnkeyErrorCode: 'SIGNATURE_INVALID',
    message: 'could not verify api key signature',
  },
  WEBAUTHN_STAMP_MALFORMED: {
    grpcCode: 16,
    httpStatus: 401,
    turnkeyErrorCode: 'SIGNATURE_INVALID',
    message: 'could not extract webauthn stamp',
  },
  WEBAUTHN_STAMP_INVALID: {
    grpcCode: 16,
    httpStatus: 401,
    turnkeyErrorCode: 'SIGNATURE_INVALID',
    message: 'could not verify WebAuthN signature',
  },
  AUTHENTICATOR_NOT_FOUND: {
    grpcCode: 16,
    httpStatus: 401,
    turnkeyErrorCode: 'CREDENTIAL_NOT_FOUND',
    message: 'credential ID could not be found in organization or its parent organization',
  },
  AUTHENTICATOR_AMBIGUOUS: {
    grpcCode: 16,
    httpStatus: 401,
    turnkeyErrorCode: 'CREDENTIAL_CONFLICT',
    message: 'more than one suborg associated with a credential ID',
  },
  ATTESTATION_INVALID: {
    grpcCode: 16,
    httpStatus: 401,
    turnkeyErrorCode: 'UNAUTHENTICATED',
    message: 'authentication failed: the attestation of the stamp is not valid',
  },
  USER_NOT_FOUND_BY_ATTESTATION: {
    grpcCode: 16,
    httpStatus: 401,
    turnkeyErrorCode: 'CREDENTIAL_NOT_FOUND',
    message: 'authentication failed: no user of this organization is the one that the attestation is about',
  },
  USER_AMBIGUOUS_BY_ATTESTATION: {
    grpcCode: 16,
    httpStatus: 401,
    turnkeyErrorCode: 'CREDENTIAL_CONFLICT',
    message: 'authentication failed: more than one user is the one that the attestation is about',
  },
  TOKEN_INVALID: {
    grpcCode: 3,
    httpStatus: 400,
    turnkeyErrorCode: 'REQUEST_INVALID',
    message: 'invalid verification token',
  },
  OIDC_TOKEN_INVALID: {
    grpcCode: 3,
    httpStatus: 400,
    turnkeyErrorCode: 'INVALID_OIDC_TOKEN',
    message: 'invalid OIDC token',
  },
  PASSCODE_INVALID: {
    grpcCode: 3,
    httpStatus: 400,
    turnkeyErrorCode: 'REQUEST_INVALID',
    message: 'Invalid OTP code',
  },
  PASSCODE_LIMIT: {
    grpcCode: 3,
    httpStatus: 400,
    turnkeyErrorCode: 'MAX_OTP_INITIATED',
    message: 'Max number of OTPs have been initiated please wait and try again',
  },
  CREDENTIAL_NOT_FOUND: {
    grpcCode: 16,
    httpStatus: 401,
    turnkeyErrorCode: 'PUBLIC_KEY_NOT_FOUND',
    message: 'could not find public key in organization or its parent organization',
  },
  CREDENTIAL_AMBIGUOUS: {
    grpcCode: 16,
    httpStatus: 401,
    turnkeyErrorCode: 'CREDENTIAL_CONFLICT',
    message: 'more than one suborg associated with a public key',
  },
  CREDENTIAL_EXPIRED: {
    grpcCode: 16,
    httpStatus: 401,
    turnkeyErrorCode: 'API_KEY_EXPIRED',
    message: 'Unauthenticated desc = expired api key publicKey',
  },
  UNAVAILABLE: {
    grpcCode: 14,
    httpStatus: 503,
    turnkeyErrorCode: 'INTERNAL',
    message: 'the service cannot answer right now; try again',
  },
} as const satisfies Record<
  string,
  { grpcCode: number; httpStatus: number; turnkeyErrorCode: string | undefined; message: string }
>
