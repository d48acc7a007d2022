// Written by `npm run generate`: the requests and answers of the operations. Do not edit.

/** `parameters` are without `organizationId`, which the client adds. */
export type Queries = {
  explain_activity: {
    parameters: { readonly activityId: string }
    result: {
      readonly explanation: {
        readonly activityId: string
        readonly organizationId: string
        readonly type: string
        readonly status: string
        readonly title: {
          readonly code: string
          readonly values: readonly (
            | { readonly kind: 'text'; readonly text: string; readonly characters?: number }
            | { readonly kind: 'code'; readonly code: string }
            | { readonly kind: 'number'; readonly number: string }
            | {
                readonly kind: 'amount'
                readonly smallest: string
                readonly smallestUnit?: string
                readonly units?: string
                readonly unit?: string
                readonly token?: string
              }
            | { readonly kind: 'chain'; readonly name?: string; readonly caip2?: string }
            | { readonly kind: 'address'; readonly address: string; readonly name?: string; readonly account?: string }
            | { readonly kind: 'id'; readonly id: string; readonly of?: string; readonly name?: string }
            | { readonly kind: 'duration'; readonly seconds: number }
            | { readonly kind: 'time'; readonly at: string }
            | { readonly kind: 'hex'; readonly hex: string; readonly bytes: number; readonly isCut?: true }
            | {
                readonly kind: 'tree'
                readonly rows: readonly (
                  | { readonly label: string; readonly value: unknown }
                  | { readonly name: string; readonly value: unknown }
                )[]
              }
            | { readonly kind: 'list'; readonly items: readonly unknown[] }
            | { readonly kind: 'change'; readonly from: unknown; readonly to: unknown }
            | {
                readonly kind: 'note'
                readonly code:
                  | 'notExplained'
                  | 'isRequest'
                  | 'logsIn'
                  | 'highFee'
                  | 'changesControl'
                  | 'replacesOwner'
                  | 'losesControl'
                  | 'signsForHook'
                  | 'endsProgram'
                  | 'upgradesProgram'
                  | 'programOwns'
                  | 'getsData'
                  | 'changesWhoControls'
                  | 'ownersNeeded'
                  | 'losesOwner'
                  | 'letsSpend'
                  | 'letsMoveAll'
                  | 'goesTo'
                  | 'toOwn'
                  | 'goesToScript'
                  | 'alsoOnMainNetwork'
                  | 'outputsOpen'
                  | 'lostOrOwn'
                  | 'createsContract'
                  | 'endsOrLetsTake'
                  | 'takenBySignature'
                  | 'offers'
                  | 'and'
                  | 'delegateCall'
                  | 'refundsFee'
                  | 'locksUp'
                  | 'locksDelegation'
                  | 'blocksOfTron'
                  | 'nearlyUnlimited'
                  | 'delegatesStake'
                  | 'doesOnTron'
                  | 'makesDebt'
                  | 'paysDebt'
                  | 'agreesTo'
                  | 'makesTokens'
                  | 'destroysTokens'
                  | 'freezesAccount'
                  | 'freezesNewAccounts'
                  | 'freezesTable'
                  | 'thawsAccount'
                  | 'withholdsFee'
                  | 'feeWithheld'
                  | 'endsProtection'
                  | 'setsForToken'
                  | 'ownIsExported'
                  | 'unreadProgram'
                  | 'onlyInterface'
                  | 'callsInside'
                  | 'unreadBytes'
                  | 'otherNames'
                  | 'borrowedName'
                  | 'knownProgram'
                  | 'innerBytes'
                  | 'callsBeyondLimit'
                  | 'beyondLimit'
                  | 'dataBeside'
                  | 'noChain'
                  | 'noContract'
                  | 'notSigned'
                  | 'onlyDomain'
                  | 'denialEnds'
                  | 'denialChanges'
                  | 'limitEnds'
                  | 'allowsAll'
                  | 'allowsAllBy'
                  | 'opens'
                  | 'opensTo'
                  | 'opensToSeveral'
                  | 'mayOpen'
                  | 'reachesByAll'
                  | 'reachesByOne'
                  | 'reachesBySeveral'
                  | 'reachesByTooFew'
                  | 'reachesByNumber'
                  | 'reachesBySome'
                  | 'deniesAll'
                  | 'deniesPolicies'
                  | 'mayDenyPolicies'
                  | 'namesUnknown'
                  | 'namesOtherKind'
                  | 'metByOthers'
                  | 'namesInvited'
                  | 'rulesGoBy'
                  | 'allowanceChanges'
                  | 'fewerApprovals'
                  | 'joinsQuorum'
                  | 'leavesQuorum'
                  | 'noneMayBeLost'
                  | 'actsAs'
                  | 'losesWayIn'
                  | 'looksLike'
                  | 'contactLogsIn'
                  | 'sentTo'
                  | 'sentNoMore'
                  | 'stepsEnd'
                  | 'fewerSteps'
                  | 'stepsAlsoBy'
                  | 'stepImpossible'
                  | 'stepsAfterOthers'
                  | 'stepsChange'
                  | 'allowlistEnds'
                  | 'allowlistWidens'
                  | 'allowlistOnly'
                  | 'allowlistNarrows'
                  | 'allowlistUnchecked'
                  | 'originsChange'
                  | 'originsOnly'
                  | 'keysLost'
                  | 'wayInOpens'
                  | 'codesWeaken'
                  | 'sessionsLonger'
                  | 'sessionsMayAll'
                  | 'sessionsMay'
                  | 'sessionsLong'
                  | 'sessionsOutlasted'
                  | 'mailsChosen'
                  | 'andMore'
                  | 'unreadable'
                  | 'unknownCall'
                  | 'argumentsUnreadable'
                  | 'notDecoded'
                  | 'notInContent'
                  | 'notKnownAnyMore'
                  | 'doesNotExist'
                  | 'rentFor'
                  | 'rentForUpTo'
                  | 'singleTokens'
                  | 'anyTokens'
                  | 'vaultAssets'
                  | 'vaultSharesFor'
                  | 'vaultAssetsFor'
                  | 'allTokens'
                  | 'hashedTokens'
                  | 'amountOrTokenId'
                  | 'amountOrNumber'
                  | 'itself'
                  | 'listedTokens'
                  | 'unlimited'
                  | 'unlimitedTokens'
                  | 'nearlyUnlimitedTokens'
                  | 'everyChain'
                  | 'feeUncertain'
                  | 'onlyHash'
                  | 'mayBeHash'
                  | 'mayHoldHash'
                  | 'otherAccount'
                  | 'otherOwner'
                  | 'unknownDocument'
                  | 'unknownMeaning'
                  | 'hiddenCharacters'
                  | 'cutText'
                  | 'textGap'
                  | 'longText'
                  | 'severalTimes'
                  | 'inPayload'
                  | 'inPayloads'
                  | 'isTransaction'
                  | 'mayBeTransaction'
                  | 'isAuthorization'
                  | 'isTypedData'
                  | 'addressTableLookup'
                  | 'lookedUpAccount'
                  | 'untilNonceAdvances'
                  | 'tooMuch'
                  | 'hidden'
                readonly values?: readonly unknown[]
                readonly detail?: string
              }
            | { readonly kind: 'leftOut'; readonly count: number; readonly sum?: unknown }
          )[]
          readonly warnings?: readonly {
            readonly kind: 'note'
            readonly code:
              | 'notExplained'
              | 'isRequest'
              | 'logsIn'
              | 'highFee'
              | 'changesControl'
              | 'replacesOwner'
              | 'losesControl'
              | 'signsForHook'
              | 'endsProgram'
              | 'upgradesProgram'
              | 'programOwns'
              | 'getsData'
              | 'changesWhoControls'
              | 'ownersNeeded'
              | 'losesOwner'
              | 'letsSpend'
              | 'letsMoveAll'
              | 'goesTo'
              | 'toOwn'
              | 'goesToScript'
              | 'alsoOnMainNetwork'
              | 'outputsOpen'
              | 'lostOrOwn'
              | 'createsContract'
              | 'endsOrLetsTake'
              | 'takenBySignature'
              | 'offers'
              | 'and'
              | 'delegateCall'
              | 'refundsFee'
              | 'locksUp'
              | 'locksDelegation'
              | 'blocksOfTron'
              | 'nearlyUnlimited'
              | 'delegatesStake'
              | 'doesOnTron'
              | 'makesDebt'
              | 'paysDebt'
              | 'agreesTo'
              | 'makesTokens'
              | 'destroysTokens'
              | 'freezesAccount'
              | 'freezesNewAccounts'
              | 'freezesTable'
              | 'thawsAccount'
              | 'withholdsFee'
              | 'feeWithheld'
              | 'endsProtection'
              | 'setsForToken'
              | 'ownIsExported'
              | 'unreadProgram'
              | 'onlyInterface'
              | 'callsInside'
              | 'unreadBytes'
              | 'otherNames'
              | 'borrowedName'
              | 'knownProgram'
              | 'innerBytes'
              | 'callsBeyondLimit'
              | 'beyondLimit'
              | 'dataBeside'
              | 'noChain'
              | 'noContract'
              | 'notSigned'
              | 'onlyDomain'
              | 'denialEnds'
              | 'denialChanges'
              | 'limitEnds'
              | 'allowsAll'
              | 'allowsAllBy'
              | 'opens'
              | 'opensTo'
              | 'opensToSeveral'
              | 'mayOpen'
              | 'reachesByAll'
              | 'reachesByOne'
              | 'reachesBySeveral'
              | 'reachesByTooFew'
              | 'reachesByNumber'
              | 'reachesBySome'
              | 'deniesAll'
              | 'deniesPolicies'
              | 'mayDenyPolicies'
              | 'namesUnknown'
              | 'namesOtherKind'
              | 'metByOthers'
              | 'namesInvited'
              | 'rulesGoBy'
              | 'allowanceChanges'
              | 'fewerApprovals'
              | 'joinsQuorum'
              | 'leavesQuorum'
              | 'noneMayBeLost'
              | 'actsAs'
              | 'losesWayIn'
              | 'looksLike'
              | 'contactLogsIn'
              | 'sentTo'
              | 'sentNoMore'
              | 'stepsEnd'
              | 'fewerSteps'
              | 'stepsAlsoBy'
              | 'stepImpossible'
              | 'stepsAfterOthers'
              | 'stepsChange'
              | 'allowlistEnds'
              | 'allowlistWidens'
              | 'allowlistOnly'
              | 'allowlistNarrows'
              | 'allowlistUnchecked'
              | 'originsChange'
              | 'originsOnly'
              | 'keysLost'
              | 'wayInOpens'
              | 'codesWeaken'
              | 'sessionsLonger'
              | 'sessionsMayAll'
              | 'sessionsMay'
              | 'sessionsLong'
              | 'sessionsOutlasted'
              | 'mailsChosen'
              | 'andMore'
              | 'unreadable'
              | 'unknownCall'
              | 'argumentsUnreadable'
              | 'notDecoded'
              | 'notInContent'
              | 'notKnownAnyMore'
              | 'doesNotExist'
              | 'rentFor'
              | 'rentForUpTo'
              | 'singleTokens'
              | 'anyTokens'
              | 'vaultAssets'
              | 'vaultSharesFor'
              | 'vaultAssetsFor'
              | 'allTokens'
              | 'hashedTokens'
              | 'amountOrTokenId'
              | 'amountOrNumber'
              | 'itself'
              | 'listedTokens'
              | 'unlimited'
              | 'unlimitedTokens'
              | 'nearlyUnlimitedTokens'
              | 'everyChain'
              | 'feeUncertain'
              | 'onlyHash'
              | 'mayBeHash'
              | 'mayHoldHash'
              | 'otherAccount'
              | 'otherOwner'
              | 'unknownDocument'
              | 'unknownMeaning'
              | 'hiddenCharacters'
              | 'cutText'
              | 'textGap'
              | 'longText'
              | 'severalTimes'
              | 'inPayload'
              | 'inPayloads'
              | 'isTransaction'
              | 'mayBeTransaction'
              | 'isAuthorization'
              | 'isTypedData'
              | 'addressTableLookup'
              | 'lookedUpAccount'
              | 'untilNonceAdvances'
              | 'tooMuch'
              | 'hidden'
            readonly values?: readonly unknown[]
            readonly detail?: string
          }[]
        }
        readonly sections: readonly {
          readonly kind:
            | 'warnings'
            | 'request'
            | 'rule'
            | 'transaction'
            | 'transfers'
            | 'calls'
            | 'authorizations'
            | 'typedData'
            | 'payloads'
            | 'changes'
            | 'parameters'
            | 'outcome'
          readonly rows: readonly (
            | { readonly label: string; readonly value: unknown }
            | { readonly name: string; readonly value: unknown }
          )[]
        }[]
      }
    }
  }
  get_activity: {
    parameters: { readonly activityId: string }
    result: {
      readonly activity: {
        readonly id: string
        readonly organizationId: string
        readonly status:
          | 'ACTIVITY_STATUS_CREATED'
          | 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'
          | 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
          | 'ACTIVITY_STATUS_COMPLETED'
          | 'ACTIVITY_STATUS_FAILED'
          | 'ACTIVITY_STATUS_REJECTED'
          | 'ACTIVITY_STATUS_PENDING'
        readonly type: string
        readonly intent: Readonly<Record<string, unknown>>
        readonly result: Readonly<Record<string, unknown>>
        readonly votes: readonly {
          readonly id: string
          readonly userId: string
          readonly user: {
            readonly userId: string
            readonly userName: string
            readonly userEmail?: string
            readonly userPhoneNumber?: string
            readonly authenticators: readonly {
              readonly transports: readonly (
                | 'AUTHENTICATOR_TRANSPORT_BLE'
                | 'AUTHENTICATOR_TRANSPORT_INTERNAL'
                | 'AUTHENTICATOR_TRANSPORT_NFC'
                | 'AUTHENTICATOR_TRANSPORT_USB'
                | 'AUTHENTICATOR_TRANSPORT_HYBRID'
              )[]
              readonly attestationType: string
              readonly aaguid: string
              readonly credentialId: string
              readonly model: string
              readonly credential: {
                readonly publicKey: string
                readonly type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'
              }
              readonly authenticatorId: string
              readonly authenticatorName: string
              readonly createdAt: { readonly seconds: string; readonly nanos: string }
              readonly updatedAt: { readonly seconds: string; readonly nanos: string }
            }[]
            readonly apiKeys: readonly {
              readonly credential: {
                readonly publicKey: string
                readonly type:
                  | 'CREDENTIAL_TYPE_API_KEY_P256'
                  | 'CREDENTIAL_TYPE_API_KEY_SECP256K1'
                  | 'CREDENTIAL_TYPE_API_KEY_ED25519'
                  | 'CREDENTIAL_TYPE_LOGIN'
                  | 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256'
                  | 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256'
                  | 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256'
                  | 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256'
                  | 'CREDENTIAL_TYPE_OAUTH_KEY_P256'
                  | 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'
                readonly sessionProfileId?: string
              }
              readonly apiKeyId: string
              readonly apiKeyName: string
              readonly createdAt: { readonly seconds: string; readonly nanos: string }
              readonly updatedAt: { readonly seconds: string; readonly nanos: string }
              readonly expirationSeconds?: string
            }[]
            readonly userTags: readonly string[]
            readonly oauthProviders: readonly {
              readonly providerId: string
              readonly providerName: string
              readonly issuer: string
              readonly audience: string
              readonly subject: string
              readonly createdAt: { readonly seconds: string; readonly nanos: string }
              readonly updatedAt: { readonly seconds: string; readonly nanos: string }
            }[]
            readonly mfaPolicies: readonly {
              readonly mfaPolicyId: string
              readonly mfaPolicyName: string
              readonly condition: string
              readonly requiredAuthenticationMethods: readonly {
                readonly any: readonly {
                  readonly type:
                    | 'AUTHENTICATION_TYPE_EMAIL_OTP'
                    | 'AUTHENTICATION_TYPE_SMS_OTP'
                    | 'AUTHENTICATION_TYPE_PASSKEY'
                    | 'AUTHENTICATION_TYPE_API_KEY'
                    | 'AUTHENTICATION_TYPE_OAUTH'
                    | 'AUTHENTICATION_TYPE_SESSION'
                  readonly id?: string
                }[]
              }[]
              readonly order: number
              readonly notes?: string
              readonly createdAt: { readonly seconds: string; readonly nanos: string }
              readonly updatedAt: { readonly seconds: string; readonly nanos: string }
            }[]
            readonly createdAt: { readonly seconds: string; readonly nanos: string }
            readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          }
          readonly activityId: string
          readonly selection: 'VOTE_SELECTION_APPROVED' | 'VOTE_SELECTION_REJECTED'
          readonly message: string
          readonly publicKey: string
          readonly signature: string
          readonly scheme: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
        }[]
        readonly fingerprint: string
        readonly canApprove: boolean
        readonly canReject: boolean
        readonly createdAt: string | { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: string | { readonly seconds: string; readonly nanos: string }
        readonly failure?: { readonly code: number; readonly message: string; readonly details: readonly unknown[] }
        readonly appProofs?: readonly {
          readonly scheme: 'SIGNATURE_SCHEME_EPHEMERAL_KEY_P256'
          readonly publicKey: string
          readonly proofPayload: string
          readonly signature: string
        }[]
      }
    }
  }
  list_activities: {
    parameters: {
      readonly filterByStatus?: readonly (
        | 'ACTIVITY_STATUS_CREATED'
        | 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'
        | 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
        | 'ACTIVITY_STATUS_COMPLETED'
        | 'ACTIVITY_STATUS_FAILED'
        | 'ACTIVITY_STATUS_REJECTED'
        | 'ACTIVITY_STATUS_PENDING'
      )[]
      readonly paginationOptions?: { readonly limit?: string; readonly before?: string; readonly after?: string }
      readonly filterByType?: readonly string[]
    }
    result: {
      readonly activities: readonly {
        readonly id: string
        readonly organizationId: string
        readonly status:
          | 'ACTIVITY_STATUS_CREATED'
          | 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'
          | 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
          | 'ACTIVITY_STATUS_COMPLETED'
          | 'ACTIVITY_STATUS_FAILED'
          | 'ACTIVITY_STATUS_REJECTED'
          | 'ACTIVITY_STATUS_PENDING'
        readonly type: string
        readonly intent: Readonly<Record<string, unknown>>
        readonly result: Readonly<Record<string, unknown>>
        readonly votes: readonly {
          readonly id: string
          readonly userId: string
          readonly user: {
            readonly userId: string
            readonly userName: string
            readonly userEmail?: string
            readonly userPhoneNumber?: string
            readonly authenticators: readonly {
              readonly transports: readonly (
                | 'AUTHENTICATOR_TRANSPORT_BLE'
                | 'AUTHENTICATOR_TRANSPORT_INTERNAL'
                | 'AUTHENTICATOR_TRANSPORT_NFC'
                | 'AUTHENTICATOR_TRANSPORT_USB'
                | 'AUTHENTICATOR_TRANSPORT_HYBRID'
              )[]
              readonly attestationType: string
              readonly aaguid: string
              readonly credentialId: string
              readonly model: string
              readonly credential: {
                readonly publicKey: string
                readonly type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'
              }
              readonly authenticatorId: string
              readonly authenticatorName: string
              readonly createdAt: { readonly seconds: string; readonly nanos: string }
              readonly updatedAt: { readonly seconds: string; readonly nanos: string }
            }[]
            readonly apiKeys: readonly {
              readonly credential: {
                readonly publicKey: string
                readonly type:
                  | 'CREDENTIAL_TYPE_API_KEY_P256'
                  | 'CREDENTIAL_TYPE_API_KEY_SECP256K1'
                  | 'CREDENTIAL_TYPE_API_KEY_ED25519'
                  | 'CREDENTIAL_TYPE_LOGIN'
                  | 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256'
                  | 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256'
                  | 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256'
                  | 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256'
                  | 'CREDENTIAL_TYPE_OAUTH_KEY_P256'
                  | 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'
                readonly sessionProfileId?: string
              }
              readonly apiKeyId: string
              readonly apiKeyName: string
              readonly createdAt: { readonly seconds: string; readonly nanos: string }
              readonly updatedAt: { readonly seconds: string; readonly nanos: string }
              readonly expirationSeconds?: string
            }[]
            readonly userTags: readonly string[]
            readonly oauthProviders: readonly {
              readonly providerId: string
              readonly providerName: string
              readonly issuer: string
              readonly audience: string
              readonly subject: string
              readonly createdAt: { readonly seconds: string; readonly nanos: string }
              readonly updatedAt: { readonly seconds: string; readonly nanos: string }
            }[]
            readonly mfaPolicies: readonly {
              readonly mfaPolicyId: string
              readonly mfaPolicyName: string
              readonly condition: string
              readonly requiredAuthenticationMethods: readonly {
                readonly any: readonly {
                  readonly type:
                    | 'AUTHENTICATION_TYPE_EMAIL_OTP'
                    | 'AUTHENTICATION_TYPE_SMS_OTP'
                    | 'AUTHENTICATION_TYPE_PASSKEY'
                    | 'AUTHENTICATION_TYPE_API_KEY'
                    | 'AUTHENTICATION_TYPE_OAUTH'
                    | 'AUTHENTICATION_TYPE_SESSION'
                  readonly id?: string
                }[]
              }[]
              readonly order: number
              readonly notes?: string
              readonly createdAt: { readonly seconds: string; readonly nanos: string }
              readonly updatedAt: { readonly seconds: string; readonly nanos: string }
            }[]
            readonly createdAt: { readonly seconds: string; readonly nanos: string }
            readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          }
          readonly activityId: string
          readonly selection: 'VOTE_SELECTION_APPROVED' | 'VOTE_SELECTION_REJECTED'
          readonly message: string
          readonly publicKey: string
          readonly signature: string
          readonly scheme: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
        }[]
        readonly fingerprint: string
        readonly canApprove: boolean
        readonly canReject: boolean
        readonly createdAt: string | { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: string | { readonly seconds: string; readonly nanos: string }
        readonly failure?: { readonly code: number; readonly message: string; readonly details: readonly unknown[] }
        readonly appProofs?: readonly {
          readonly scheme: 'SIGNATURE_SCHEME_EPHEMERAL_KEY_P256'
          readonly publicKey: string
          readonly proofPayload: string
          readonly signature: string
        }[]
      }[]
    }
  }
  watch_activities: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly organizationVersion: number
      readonly rulesDigest: string
      readonly waiting: readonly { readonly activityId: string; readonly version: number }[]
    }
  }
  get_api_key: {
    parameters: { readonly apiKeyId: string }
    result: {
      readonly apiKey: {
        readonly credential: {
          readonly publicKey: string
          readonly type:
            | 'CREDENTIAL_TYPE_API_KEY_P256'
            | 'CREDENTIAL_TYPE_API_KEY_SECP256K1'
            | 'CREDENTIAL_TYPE_API_KEY_ED25519'
            | 'CREDENTIAL_TYPE_LOGIN'
            | 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256'
            | 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256'
            | 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256'
            | 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256'
            | 'CREDENTIAL_TYPE_OAUTH_KEY_P256'
            | 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'
          readonly sessionProfileId?: string
        }
        readonly apiKeyId: string
        readonly apiKeyName: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        readonly expirationSeconds?: string
      }
    }
  }
  get_api_keys: {
    parameters: { readonly userId?: string }
    result: {
      readonly apiKeys: readonly {
        readonly credential: {
          readonly publicKey: string
          readonly type:
            | 'CREDENTIAL_TYPE_API_KEY_P256'
            | 'CREDENTIAL_TYPE_API_KEY_SECP256K1'
            | 'CREDENTIAL_TYPE_API_KEY_ED25519'
            | 'CREDENTIAL_TYPE_LOGIN'
            | 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256'
            | 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256'
            | 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256'
            | 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256'
            | 'CREDENTIAL_TYPE_OAUTH_KEY_P256'
            | 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'
          readonly sessionProfileId?: string
        }
        readonly apiKeyId: string
        readonly apiKeyName: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        readonly expirationSeconds?: string
      }[]
    }
  }
  get_auth_proxy_config: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly config?: {
        readonly configId: string
        readonly organizationId: string
        readonly operations: readonly string[]
        readonly allowedOrigins: readonly string[]
        readonly appName: string
        readonly sessionExpirationSeconds: string
        readonly otpExpirationSeconds: string
        readonly otpLength: number
        readonly otpAlphanumeric: boolean
        readonly oauthProviders: readonly {
          readonly providerName: string
          readonly issuer: string
          readonly clientId: string
          readonly authorizationUrl: string
        }[]
        readonly oauthRedirectUrl?: string
        readonly sessionsMayChangeCredentials: boolean
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }
    }
  }
  get_authenticator: {
    parameters: { readonly authenticatorId: string }
    result: {
      readonly authenticator: {
        readonly transports: readonly (
          | 'AUTHENTICATOR_TRANSPORT_BLE'
          | 'AUTHENTICATOR_TRANSPORT_INTERNAL'
          | 'AUTHENTICATOR_TRANSPORT_NFC'
          | 'AUTHENTICATOR_TRANSPORT_USB'
          | 'AUTHENTICATOR_TRANSPORT_HYBRID'
        )[]
        readonly attestationType: string
        readonly aaguid: string
        readonly credentialId: string
        readonly model: string
        readonly credential: { readonly publicKey: string; readonly type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR' }
        readonly authenticatorId: string
        readonly authenticatorName: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }
    }
  }
  get_authenticators: {
    parameters: { readonly userId: string }
    result: {
      readonly authenticators: readonly {
        readonly transports: readonly (
          | 'AUTHENTICATOR_TRANSPORT_BLE'
          | 'AUTHENTICATOR_TRANSPORT_INTERNAL'
          | 'AUTHENTICATOR_TRANSPORT_NFC'
          | 'AUTHENTICATOR_TRANSPORT_USB'
          | 'AUTHENTICATOR_TRANSPORT_HYBRID'
        )[]
        readonly attestationType: string
        readonly aaguid: string
        readonly credentialId: string
        readonly model: string
        readonly credential: { readonly publicKey: string; readonly type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR' }
        readonly authenticatorId: string
        readonly authenticatorName: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }[]
    }
  }
  list_fiat_on_ramp_credentials: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly fiatOnRampCredentials: readonly {
        readonly fiatOnrampCredentialId: string
        readonly organizationId: string
        readonly onrampProvider:
          | 'FIAT_ON_RAMP_PROVIDER_PROVIDER_A'
          | 'FIAT_ON_RAMP_PROVIDER_COINBASE'
          | 'FIAT_ON_RAMP_PROVIDER_PROVIDER_B'
          | 'FIAT_ON_RAMP_PROVIDER_MOONPAY'
        readonly projectId?: string
        readonly publishableApiKey: string
        readonly encryptedSecretApiKey: string
        readonly encryptedPrivateApiKey?: string
        readonly sandboxMode: boolean
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }[]
    }
  }
  get_ip_allowlist: {
    parameters: { readonly publicKey?: string }
    result: {
      readonly allowlist: {
        readonly organizationId: string
        readonly rules: readonly { readonly cidr: string; readonly label?: string; readonly createdAt: string }[]
        readonly publicKey?: string
        readonly enabled?: boolean
        readonly onEvaluationError?: string
      }
    }
  }
  get_activity_proof: {
    parameters: { readonly activityId: string }
    result: {
      readonly proof: {
        readonly entries: readonly {
          readonly version: number
          readonly origin: string
          readonly index: number
          readonly recordedAt: { readonly seconds: string; readonly nanos: string }
          readonly entry: string
          readonly proof: string
        }[]
        readonly uncoveredVersions: readonly number[]
      }
    }
  }
  list_log_documents: {
    parameters: { readonly activityIds: readonly string[] }
    result: {
      readonly documents: readonly {
        readonly activityId: string
        readonly version: number
        readonly document: string
        readonly content?: string
      }[]
      readonly left: readonly string[]
    }
  }
  list_log_entries: {
    parameters: { readonly logId: string; readonly size: string; readonly fromBundle?: string }
    result: {
      readonly bundles: readonly {
        readonly from: number
        readonly indexes: readonly number[]
        readonly entries: readonly string[]
        readonly hashes: readonly string[]
        readonly proof: readonly string[]
      }[]
      readonly nextBundle?: string
    }
  }
  get_mfa_policies: {
    parameters: { readonly userId: string }
    result: {
      readonly mfaPolicies: readonly {
        readonly mfaPolicyId: string
        readonly mfaPolicyName: string
        readonly condition: string
        readonly requiredAuthenticationMethods: readonly {
          readonly any: readonly {
            readonly type:
              | 'AUTHENTICATION_TYPE_EMAIL_OTP'
              | 'AUTHENTICATION_TYPE_SMS_OTP'
              | 'AUTHENTICATION_TYPE_PASSKEY'
              | 'AUTHENTICATION_TYPE_API_KEY'
              | 'AUTHENTICATION_TYPE_OAUTH'
              | 'AUTHENTICATION_TYPE_SESSION'
            readonly id?: string
          }[]
        }[]
        readonly order: number
        readonly notes?: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }[]
    }
  }
  get_mfa_policy: {
    parameters: { readonly userId: string; readonly mfaPolicyId: string }
    result: {
      readonly mfaPolicy: {
        readonly mfaPolicyId: string
        readonly mfaPolicyName: string
        readonly condition: string
        readonly requiredAuthenticationMethods: readonly {
          readonly any: readonly {
            readonly type:
              | 'AUTHENTICATION_TYPE_EMAIL_OTP'
              | 'AUTHENTICATION_TYPE_SMS_OTP'
              | 'AUTHENTICATION_TYPE_PASSKEY'
              | 'AUTHENTICATION_TYPE_API_KEY'
              | 'AUTHENTICATION_TYPE_OAUTH'
              | 'AUTHENTICATION_TYPE_SESSION'
            readonly id?: string
          }[]
        }[]
        readonly order: number
        readonly notes?: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }
    }
  }
  get_mfa_status: {
    parameters: { readonly activityId: string; readonly userId?: string }
    result: {
      readonly mfaStatuses: readonly {
        readonly mfaPolicyId: string
        readonly userId: string
        readonly satisfied: boolean
        readonly satisfiedMethods: readonly {
          readonly type:
            | 'AUTHENTICATION_TYPE_EMAIL_OTP'
            | 'AUTHENTICATION_TYPE_SMS_OTP'
            | 'AUTHENTICATION_TYPE_PASSKEY'
            | 'AUTHENTICATION_TYPE_API_KEY'
            | 'AUTHENTICATION_TYPE_OAUTH'
            | 'AUTHENTICATION_TYPE_SESSION'
          readonly id?: string
        }[]
        readonly requiredMethods: readonly {
          readonly any: readonly {
            readonly type:
              | 'AUTHENTICATION_TYPE_EMAIL_OTP'
              | 'AUTHENTICATION_TYPE_SMS_OTP'
              | 'AUTHENTICATION_TYPE_PASSKEY'
              | 'AUTHENTICATION_TYPE_API_KEY'
              | 'AUTHENTICATION_TYPE_OAUTH'
              | 'AUTHENTICATION_TYPE_SESSION'
            readonly id?: string
          }[]
        }[]
      }[]
    }
  }
  get_oauth2_credential: {
    parameters: { readonly oauth2CredentialId: string }
    result: {
      readonly oauth2Credential: {
        readonly oauth2CredentialId: string
        readonly organizationId: string
        readonly provider:
          | 'OAUTH2_PROVIDER_PROVIDER_A'
          | 'OAUTH2_PROVIDER_X'
          | 'OAUTH2_PROVIDER_PROVIDER_B'
          | 'OAUTH2_PROVIDER_DISCORD'
        readonly clientId: string
        readonly encryptedClientSecret: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }
    }
  }
  list_oauth2_credentials: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly oauth2Credentials: readonly {
        readonly oauth2CredentialId: string
        readonly organizationId: string
        readonly provider:
          | 'OAUTH2_PROVIDER_PROVIDER_A'
          | 'OAUTH2_PROVIDER_X'
          | 'OAUTH2_PROVIDER_PROVIDER_B'
          | 'OAUTH2_PROVIDER_DISCORD'
        readonly clientId: string
        readonly encryptedClientSecret: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }[]
    }
  }
  get_oauth_providers: {
    parameters: { readonly userId?: string }
    result: {
      readonly oauthProviders: readonly {
        readonly providerId: string
        readonly providerName: string
        readonly issuer: string
        readonly audience: string
        readonly subject: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }[]
    }
  }
  get_organization: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly organizationData: {
        readonly organizationId: string
        readonly name: string
        readonly users: readonly {
          readonly userId: string
          readonly userName: string
          readonly userEmail?: string
          readonly userPhoneNumber?: string
          readonly authenticators: readonly {
            readonly transports: readonly (
              | 'AUTHENTICATOR_TRANSPORT_BLE'
              | 'AUTHENTICATOR_TRANSPORT_INTERNAL'
              | 'AUTHENTICATOR_TRANSPORT_NFC'
              | 'AUTHENTICATOR_TRANSPORT_USB'
              | 'AUTHENTICATOR_TRANSPORT_HYBRID'
            )[]
            readonly attestationType: string
            readonly aaguid: string
            readonly credentialId: string
            readonly model: string
            readonly credential: { readonly publicKey: string; readonly type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR' }
            readonly authenticatorId: string
            readonly authenticatorName: string
            readonly createdAt: { readonly seconds: string; readonly nanos: string }
            readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          }[]
          readonly apiKeys: readonly {
            readonly credential: {
              readonly publicKey: string
              readonly type:
                | 'CREDENTIAL_TYPE_API_KEY_P256'
                | 'CREDENTIAL_TYPE_API_KEY_SECP256K1'
                | 'CREDENTIAL_TYPE_API_KEY_ED25519'
                | 'CREDENTIAL_TYPE_LOGIN'
                | 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256'
                | 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256'
                | 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256'
                | 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256'
                | 'CREDENTIAL_TYPE_OAUTH_KEY_P256'
                | 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'
              readonly sessionProfileId?: string
            }
            readonly apiKeyId: string
            readonly apiKeyName: string
            readonly createdAt: { readonly seconds: string; readonly nanos: string }
            readonly updatedAt: { readonly seconds: string; readonly nanos: string }
            readonly expirationSeconds?: string
          }[]
          readonly userTags: readonly string[]
          readonly oauthProviders: readonly {
            readonly providerId: string
            readonly providerName: string
            readonly issuer: string
            readonly audience: string
            readonly subject: string
            readonly createdAt: { readonly seconds: string; readonly nanos: string }
            readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          }[]
          readonly mfaPolicies: readonly {
            readonly mfaPolicyId: string
            readonly mfaPolicyName: string
            readonly condition: string
            readonly requiredAuthenticationMethods: readonly {
              readonly any: readonly {
                readonly type:
                  | 'AUTHENTICATION_TYPE_EMAIL_OTP'
                  | 'AUTHENTICATION_TYPE_SMS_OTP'
                  | 'AUTHENTICATION_TYPE_PASSKEY'
                  | 'AUTHENTICATION_TYPE_API_KEY'
                  | 'AUTHENTICATION_TYPE_OAUTH'
                  | 'AUTHENTICATION_TYPE_SESSION'
                readonly id?: string
              }[]
            }[]
            readonly order: number
            readonly notes?: string
            readonly createdAt: { readonly seconds: string; readonly nanos: string }
            readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          }[]
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }[]
        readonly policies: readonly {
          readonly policyId: string
          readonly policyName: string
          readonly effect: 'EFFECT_ALLOW' | 'EFFECT_DENY'
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          readonly notes: string
          readonly consensus: string
          readonly condition: string
          readonly time?: string
        }[]
        readonly privateKeys: readonly {
          readonly privateKeyId: string
          readonly publicKey: string
          readonly privateKeyName: string
          readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256'
          readonly addresses: readonly {
            readonly format:
              | 'ADDRESS_FORMAT_UNCOMPRESSED'
              | 'ADDRESS_FORMAT_COMPRESSED'
              | 'ADDRESS_FORMAT_ETHEREUM'
              | 'ADDRESS_FORMAT_SOLANA'
              | 'ADDRESS_FORMAT_COSMOS'
              | 'ADDRESS_FORMAT_TRON'
              | 'ADDRESS_FORMAT_SUI'
              | 'ADDRESS_FORMAT_APTOS'
              | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH'
              | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH'
              | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'
              | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH'
              | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'
              | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH'
              | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH'
              | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH'
              | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH'
              | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR'
              | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH'
              | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH'
              | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH'
              | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH'
              | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR'
              | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH'
              | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH'
              | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH'
              | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH'
              | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR'
              | 'ADDRESS_FORMAT_SEI'
              | 'ADDRESS_FORMAT_XLM'
              | 'ADDRESS_FORMAT_DOGE_MAINNET'
              | 'ADDRESS_FORMAT_DOGE_TESTNET'
              | 'ADDRESS_FORMAT_TON_V3R2'
              | 'ADDRESS_FORMAT_TON_V4R2'
              | 'ADDRESS_FORMAT_TON_V5R1'
              | 'ADDRESS_FORMAT_XRP'
              | 'ADDRESS_FORMAT_SPARK_MAINNET'
              | 'ADDRESS_FORMAT_SPARK_REGTEST'
            readonly address: string
          }[]
          readonly privateKeyTags: readonly string[]
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          readonly exported: boolean
          readonly imported: boolean
        }[]
        readonly invitations: readonly {
          readonly invitationId: string
          readonly receiverUserName: string
          readonly receiverEmail: string
          readonly receiverUserTags: readonly string[]
          readonly accessType: 'ACCESS_TYPE_WEB' | 'ACCESS_TYPE_API' | 'ACCESS_TYPE_ALL'
          readonly status: 'INVITATION_STATUS_CREATED' | 'INVITATION_STATUS_ACCEPTED' | 'INVITATION_STATUS_REVOKED'
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          readonly senderUserId: string
        }[]
        readonly tags: readonly {
          readonly tagId: string
          readonly tagName: string
          readonly tagType: 'TAG_TYPE_USER' | 'TAG_TYPE_PRIVATE_KEY'
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }[]
        readonly rootQuorum: { readonly threshold: number; readonly userIds: readonly string[] }
        readonly features: readonly {
          readonly name:
            | 'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY'
            | 'FEATURE_NAME_WEBAUTHN_ORIGINS'
            | 'FEATURE_NAME_EMAIL_AUTH'
            | 'FEATURE_NAME_EMAIL_RECOVERY'
            | 'FEATURE_NAME_WEBHOOK'
            | 'FEATURE_NAME_SMS_AUTH'
            | 'FEATURE_NAME_OTP_EMAIL_AUTH'
            | 'FEATURE_NAME_AUTH_PROXY'
            | 'FEATURE_NAME_SOLANA_RENT_PREFUND_ENABLED'
            | 'FEATURE_NAME_SWAP_CONFIG'
            | 'FEATURE_NAME_EARN_CONFIG'
            | 'FEATURE_NAME_SUB_ORGANIZATION_MAILS'
          readonly value?: string
        }[]
        readonly wallets: readonly {
          readonly walletId: string
          readonly walletName: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          readonly exported: boolean
          readonly imported: boolean
        }[]
        readonly smartContractInterfaceReferences: readonly {
          readonly smartContractInterfaceId: string
          readonly smartContractAddress: string
          readonly digest?: string
        }[]
      }
    }
  }
  get_organization_configs: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly configs: {
        readonly features: readonly {
          readonly name:
            | 'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY'
            | 'FEATURE_NAME_WEBAUTHN_ORIGINS'
            | 'FEATURE_NAME_EMAIL_AUTH'
            | 'FEATURE_NAME_EMAIL_RECOVERY'
            | 'FEATURE_NAME_WEBHOOK'
            | 'FEATURE_NAME_SMS_AUTH'
            | 'FEATURE_NAME_OTP_EMAIL_AUTH'
            | 'FEATURE_NAME_AUTH_PROXY'
            | 'FEATURE_NAME_SOLANA_RENT_PREFUND_ENABLED'
            | 'FEATURE_NAME_SWAP_CONFIG'
            | 'FEATURE_NAME_EARN_CONFIG'
            | 'FEATURE_NAME_SUB_ORGANIZATION_MAILS'
          readonly value?: string
        }[]
        readonly quorum: { readonly threshold: number; readonly userIds: readonly string[] }
      }
    }
  }
  whoami: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly organizationId: string
      readonly organizationName: string
      readonly userId: string
      readonly username: string
    }
  }
  check_policies: {
    parameters: {
      readonly policy?: {
        readonly effect: 'EFFECT_ALLOW' | 'EFFECT_DENY'
        readonly condition?: string
        readonly consensus?: string
        readonly time?: string
      }
      readonly withoutPolicyIds?: readonly string[]
    }
    result: {
      readonly denials: readonly {
        readonly policyId: string
        readonly policyName: string
        readonly unseen: readonly {
          readonly requests: string
          readonly part?: string
          readonly missingFields: readonly string[]
          readonly clause: string
          readonly alsoDenies?: string
        }[]
      }[]
      readonly mfaPolicies: readonly {
        readonly userId: string
        readonly mfaPolicyId: string
        readonly mfaPolicyName: string
        readonly unseen: readonly {
          readonly requests: string
          readonly part?: string
          readonly missingFields: readonly string[]
          readonly clause: string
          readonly alsoDenies?: string
        }[]
        readonly behind?: readonly string[]
      }[]
      readonly allowances: readonly {
        readonly policyId: string
        readonly policyName: string
        readonly controls: readonly string[]
      }[]
      readonly neverEqual: readonly {
        readonly of: 'policy' | 'mfa_policy' | 'session_profile'
        readonly id: string
        readonly name: string
        readonly expression: 'condition' | 'consensus' | 'time' | 'scope'
        readonly column: number
        readonly reason: string
      }[]
    }
  }
  get_policy: {
    parameters: { readonly policyId: string }
    result: {
      readonly policy: {
        readonly policyId: string
        readonly policyName: string
        readonly effect: 'EFFECT_ALLOW' | 'EFFECT_DENY'
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        readonly notes: string
        readonly consensus: string
        readonly condition: string
        readonly time?: string
      }
    }
  }
  get_policy_evaluations: {
    parameters: { readonly activityId: string }
    result: {
      readonly policyEvaluations: readonly {
        readonly id: string
        readonly activityId: string
        readonly organizationId: string
        readonly voteId: string
        readonly policyEvaluations: readonly {
          readonly policyId: string
          readonly outcome:
            | 'OUTCOME_ALLOW'
            | 'OUTCOME_DENY_EXPLICIT'
            | 'OUTCOME_DENY_IMPLICIT'
            | 'OUTCOME_REQUIRES_CONSENSUS'
            | 'OUTCOME_REJECTED'
            | 'OUTCOME_ERROR'
            | 'OUTCOME_REQUIRES_AUTHENTICATORS'
            | 'OUTCOME_TIME_INACTIVE'
        }[]
        readonly smartContractInterfaceIds?: readonly string[]
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
      }[]
    }
  }
  list_policies: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly policies: readonly {
        readonly policyId: string
        readonly policyName: string
        readonly effect: 'EFFECT_ALLOW' | 'EFFECT_DENY'
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        readonly notes: string
        readonly consensus: string
        readonly condition: string
        readonly time?: string
      }[]
    }
  }
  simulate: {
    parameters: {
      readonly activity?: {
        readonly type: string
        readonly parameters: Readonly<Record<string, unknown>>
        readonly userId?: string
        readonly approverIds?: readonly string[]
      }
      readonly past?: {
        readonly limit?: string
        readonly after?: string
        readonly createdFrom?: string
        readonly createdTo?: string
        readonly filterByType?: readonly string[]
      }
      readonly policy?: {
        readonly effect: 'EFFECT_ALLOW' | 'EFFECT_DENY'
        readonly condition?: string
        readonly consensus?: string
        readonly time?: string
      }
      readonly withoutPolicyIds?: readonly string[]
    }
    result: {
      readonly simulations: readonly {
        readonly activityId?: string
        readonly status?:
          | 'ACTIVITY_STATUS_CREATED'
          | 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'
          | 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
          | 'ACTIVITY_STATUS_COMPLETED'
          | 'ACTIVITY_STATUS_FAILED'
          | 'ACTIVITY_STATUS_REJECTED'
          | 'ACTIVITY_STATUS_PENDING'
        readonly type: string
        readonly decision: 'ALLOW' | 'CONSENSUS' | 'DENY'
        readonly reason: string
        readonly voterIds: readonly string[]
        readonly smartContractInterfaceIds?: readonly string[]
        readonly mfaPolicyId?: string
        readonly policies: readonly {
          readonly policyId: string
          readonly outcome:
            | 'OUTCOME_ALLOW'
            | 'OUTCOME_DENY_EXPLICIT'
            | 'OUTCOME_DENY_IMPLICIT'
            | 'OUTCOME_REQUIRES_CONSENSUS'
            | 'OUTCOME_REJECTED'
            | 'OUTCOME_ERROR'
            | 'OUTCOME_REQUIRES_AUTHENTICATORS'
            | 'OUTCOME_TIME_INACTIVE'
          readonly explanation: string
          readonly expressions?: readonly {
            readonly kind: 'time' | 'condition' | 'consensus'
            readonly text: string
            readonly result: string
            readonly clauses: readonly { readonly column: number; readonly text: string; readonly value: string }[]
          }[]
          readonly unseen?: {
            readonly requests: string
            readonly part?: string
            readonly missingFields: readonly string[]
            readonly clause: string
            readonly alsoDenies?: string
          }
        }[]
      }[]
      readonly nextAfter?: string
    }
  }
  list_private_key_tags: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly privateKeyTags: readonly {
        readonly tagId: string
        readonly tagName: string
        readonly tagType: 'TAG_TYPE_USER' | 'TAG_TYPE_PRIVATE_KEY'
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }[]
    }
  }
  get_private_key: {
    parameters: { readonly privateKeyId: string }
    result: {
      readonly privateKey: {
        readonly privateKeyId: string
        readonly publicKey: string
        readonly privateKeyName: string
        readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256'
        readonly addresses: readonly {
          readonly format:
            | 'ADDRESS_FORMAT_UNCOMPRESSED'
            | 'ADDRESS_FORMAT_COMPRESSED'
            | 'ADDRESS_FORMAT_ETHEREUM'
            | 'ADDRESS_FORMAT_SOLANA'
            | 'ADDRESS_FORMAT_COSMOS'
            | 'ADDRESS_FORMAT_TRON'
            | 'ADDRESS_FORMAT_SUI'
            | 'ADDRESS_FORMAT_APTOS'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR'
            | 'ADDRESS_FORMAT_SEI'
            | 'ADDRESS_FORMAT_XLM'
            | 'ADDRESS_FORMAT_DOGE_MAINNET'
            | 'ADDRESS_FORMAT_DOGE_TESTNET'
            | 'ADDRESS_FORMAT_TON_V3R2'
            | 'ADDRESS_FORMAT_TON_V4R2'
            | 'ADDRESS_FORMAT_TON_V5R1'
            | 'ADDRESS_FORMAT_XRP'
            | 'ADDRESS_FORMAT_SPARK_MAINNET'
            | 'ADDRESS_FORMAT_SPARK_REGTEST'
          readonly address: string
        }[]
        readonly privateKeyTags: readonly string[]
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        readonly exported: boolean
        readonly imported: boolean
      }
    }
  }
  list_private_keys: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly privateKeys: readonly {
        readonly privateKeyId: string
        readonly publicKey: string
        readonly privateKeyName: string
        readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256'
        readonly addresses: readonly {
          readonly format:
            | 'ADDRESS_FORMAT_UNCOMPRESSED'
            | 'ADDRESS_FORMAT_COMPRESSED'
            | 'ADDRESS_FORMAT_ETHEREUM'
            | 'ADDRESS_FORMAT_SOLANA'
            | 'ADDRESS_FORMAT_COSMOS'
            | 'ADDRESS_FORMAT_TRON'
            | 'ADDRESS_FORMAT_SUI'
            | 'ADDRESS_FORMAT_APTOS'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR'
            | 'ADDRESS_FORMAT_SEI'
            | 'ADDRESS_FORMAT_XLM'
            | 'ADDRESS_FORMAT_DOGE_MAINNET'
            | 'ADDRESS_FORMAT_DOGE_TESTNET'
            | 'ADDRESS_FORMAT_TON_V3R2'
            | 'ADDRESS_FORMAT_TON_V4R2'
            | 'ADDRESS_FORMAT_TON_V5R1'
            | 'ADDRESS_FORMAT_XRP'
            | 'ADDRESS_FORMAT_SPARK_MAINNET'
            | 'ADDRESS_FORMAT_SPARK_REGTEST'
          readonly address: string
        }[]
        readonly privateKeyTags: readonly string[]
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        readonly exported: boolean
        readonly imported: boolean
      }[]
    }
  }
  get_boot_proof: {
    parameters: { readonly ephemeralKey: string }
    result: {
      readonly bootProof: {
        readonly ephemeralPublicKeyHex: string
        readonly awsAttestationDocB64: string
        readonly qosManifestB64: string
        readonly qosManifestEnvelopeB64: string
        readonly deploymentLabel: string
        readonly enclaveApp: string
        readonly owner: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly qosManifestVersion?: string
      }
    }
  }
  get_latest_boot_proof: {
    parameters: { readonly appName: string }
    result: {
      readonly bootProof: {
        readonly ephemeralPublicKeyHex: string
        readonly awsAttestationDocB64: string
        readonly qosManifestB64: string
        readonly qosManifestEnvelopeB64: string
        readonly deploymentLabel: string
        readonly enclaveApp: string
        readonly owner: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly qosManifestVersion?: string
      }
    }
  }
  list_app_proofs: {
    parameters: { readonly activityId: string }
    result: {
      readonly appProofs: readonly {
        readonly scheme: 'SIGNATURE_SCHEME_EPHEMERAL_KEY_P256'
        readonly publicKey: string
        readonly proofPayload: string
        readonly signature: string
      }[]
    }
  }
  get_session_profile: {
    parameters: { readonly sessionProfileId: string }
    result: {
      readonly sessionProfile: {
        readonly sessionProfileId: string
        readonly sessionProfileName: string
        readonly scope: string
        readonly expirationSeconds?: string
        readonly notes?: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }
    }
  }
  get_session_profiles: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly sessionProfiles: readonly {
        readonly sessionProfileId: string
        readonly sessionProfileName: string
        readonly scope: string
        readonly expirationSeconds?: string
        readonly notes?: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }[]
    }
  }
  get_smart_contract_interface: {
    parameters: { readonly smartContractInterfaceId: string }
    result: {
      readonly smartContractInterface: {
        readonly organizationId: string
        readonly smartContractInterfaceId: string
        readonly smartContractAddress: string
        readonly smartContractInterface: string
        readonly type: string
        readonly label: string
        readonly notes: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }
    }
  }
  list_smart_contract_interfaces: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly smartContractInterfaces: readonly {
        readonly organizationId: string
        readonly smartContractInterfaceId: string
        readonly smartContractAddress: string
        readonly smartContractInterface: string
        readonly type: string
        readonly label: string
        readonly notes: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }[]
    }
  }
  list_suborgs: {
    parameters: {
      readonly filterType?:
        | 'NAME'
        | 'USERNAME'
        | 'EMAIL'
        | 'PHONE_NUMBER'
        | 'PUBLIC_KEY'
        | 'CREDENTIAL_ID'
        | 'WALLET_ACCOUNT_ADDRESS'
        | 'OIDC_TOKEN'
      readonly filterValue?: string
      readonly paginationOptions?: { readonly limit?: string; readonly before?: string; readonly after?: string }
    }
    result: { readonly organizationIds: readonly string[] }
  }
  list_verified_suborgs: {
    parameters: {
      readonly filterType?: 'EMAIL' | 'PHONE_NUMBER'
      readonly filterValue?: string
      readonly paginationOptions?: { readonly limit?: string; readonly before?: string; readonly after?: string }
    }
    result: { readonly organizationIds: readonly string[] }
  }
  get_tvc_app: {
    parameters: { readonly tvcAppId: string }
    result: {
      readonly tvcApp: {
        readonly id: string
        readonly organizationId: string
        readonly name: string
        readonly quorumPublicKey: string
        readonly manifestSet: {
          readonly id: string
          readonly name: string
          readonly organizationId: string
          readonly operators: readonly {
            readonly id: string
            readonly name: string
            readonly publicKey: string
            readonly encryptPublicKey: string
            readonly signPublicKey: string
            readonly createdAt: { readonly seconds: string; readonly nanos: string }
            readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          }[]
          readonly threshold: number
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }
        readonly shareSet: {
          readonly id: string
          readonly name: string
          readonly organizationId: string
          readonly operators: readonly {
            readonly id: string
            readonly name: string
            readonly publicKey: string
            readonly encryptPublicKey: string
            readonly signPublicKey: string
            readonly createdAt: { readonly seconds: string; readonly nanos: string }
            readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          }[]
          readonly threshold: number
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }
        readonly enableEgress: boolean
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        readonly liveDeploymentId?: string
        readonly publicDomain: string
        readonly enableDebugModeDeployments: boolean
      }
    }
  }
  get_tvc_deployment: {
    parameters: { readonly deploymentId: string }
    result: {
      readonly tvcDeployment: {
        readonly id: string
        readonly organizationId: string
        readonly appId: string
        readonly manifestSet: {
          readonly id: string
          readonly name: string
          readonly organizationId: string
          readonly operators: readonly {
            readonly id: string
            readonly name: string
            readonly publicKey: string
            readonly encryptPublicKey: string
            readonly signPublicKey: string
            readonly createdAt: { readonly seconds: string; readonly nanos: string }
            readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          }[]
          readonly threshold: number
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }
        readonly shareSet: {
          readonly id: string
          readonly name: string
          readonly organizationId: string
          readonly operators: readonly {
            readonly id: string
            readonly name: string
            readonly publicKey: string
            readonly encryptPublicKey: string
            readonly signPublicKey: string
            readonly createdAt: { readonly seconds: string; readonly nanos: string }
            readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          }[]
          readonly threshold: number
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }
        readonly manifest: {
          readonly id: string
          readonly manifest: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }
        readonly manifestApprovals: readonly {
          readonly id: string
          readonly manifestId: string
          readonly operator: {
            readonly id: string
            readonly name: string
            readonly publicKey: string
            readonly encryptPublicKey: string
            readonly signPublicKey: string
            readonly createdAt: { readonly seconds: string; readonly nanos: string }
            readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          }
          readonly approval: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }[]
        readonly qosVersion: string
        readonly pivotContainer: {
          readonly containerUrl: string
          readonly path: string
          readonly args: readonly string[]
          readonly hasPullSecret: boolean
          readonly healthCheckType: 'TVC_HEALTH_CHECK_TYPE_HTTP' | 'TVC_HEALTH_CHECK_TYPE_GRPC'
          readonly healthCheckPort: number
          readonly publicIngressPort: number
        }
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        readonly delete: boolean
        readonly debugMode: boolean
        readonly instanceSizeCpus?: number
        readonly instanceSizeRam?: number
      }
    }
  }
  get_tvc_qos_versions: {
    parameters: Readonly<Record<string, never>>
    result: { readonly availableVersions: readonly string[]; readonly latestVersion: string }
  }
  list_tvc_app_deployments: {
    parameters: { readonly appId: string }
    result: {
      readonly tvcDeployments: readonly {
        readonly id: string
        readonly organizationId: string
        readonly appId: string
        readonly manifestSet: {
          readonly id: string
          readonly name: string
          readonly organizationId: string
          readonly operators: readonly {
            readonly id: string
            readonly name: string
            readonly publicKey: string
            readonly encryptPublicKey: string
            readonly signPublicKey: string
            readonly createdAt: { readonly seconds: string; readonly nanos: string }
            readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          }[]
          readonly threshold: number
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }
        readonly shareSet: {
          readonly id: string
          readonly name: string
          readonly organizationId: string
          readonly operators: readonly {
            readonly id: string
            readonly name: string
            readonly publicKey: string
            readonly encryptPublicKey: string
            readonly signPublicKey: string
            readonly createdAt: { readonly seconds: string; readonly nanos: string }
            readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          }[]
          readonly threshold: number
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }
        readonly manifest: {
          readonly id: string
          readonly manifest: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }
        readonly manifestApprovals: readonly {
          readonly id: string
          readonly manifestId: string
          readonly operator: {
            readonly id: string
            readonly name: string
            readonly publicKey: string
            readonly encryptPublicKey: string
            readonly signPublicKey: string
            readonly createdAt: { readonly seconds: string; readonly nanos: string }
            readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          }
          readonly approval: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }[]
        readonly qosVersion: string
        readonly pivotContainer: {
          readonly containerUrl: string
          readonly path: string
          readonly args: readonly string[]
          readonly hasPullSecret: boolean
          readonly healthCheckType: 'TVC_HEALTH_CHECK_TYPE_HTTP' | 'TVC_HEALTH_CHECK_TYPE_GRPC'
          readonly healthCheckPort: number
          readonly publicIngressPort: number
        }
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        readonly delete: boolean
        readonly debugMode: boolean
        readonly instanceSizeCpus?: number
        readonly instanceSizeRam?: number
      }[]
    }
  }
  list_tvc_apps: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly tvcApps: readonly {
        readonly id: string
        readonly organizationId: string
        readonly name: string
        readonly quorumPublicKey: string
        readonly manifestSet: {
          readonly id: string
          readonly name: string
          readonly organizationId: string
          readonly operators: readonly {
            readonly id: string
            readonly name: string
            readonly publicKey: string
            readonly encryptPublicKey: string
            readonly signPublicKey: string
            readonly createdAt: { readonly seconds: string; readonly nanos: string }
            readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          }[]
          readonly threshold: number
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }
        readonly shareSet: {
          readonly id: string
          readonly name: string
          readonly organizationId: string
          readonly operators: readonly {
            readonly id: string
            readonly name: string
            readonly publicKey: string
            readonly encryptPublicKey: string
            readonly signPublicKey: string
            readonly createdAt: { readonly seconds: string; readonly nanos: string }
            readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          }[]
          readonly threshold: number
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }
        readonly enableEgress: boolean
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        readonly liveDeploymentId?: string
        readonly publicDomain: string
        readonly enableDebugModeDeployments: boolean
      }[]
    }
  }
  list_user_tags: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly userTags: readonly {
        readonly tagId: string
        readonly tagName: string
        readonly tagType: 'TAG_TYPE_USER' | 'TAG_TYPE_PRIVATE_KEY'
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }[]
    }
  }
  get_notice_preferences: {
    parameters: { readonly userId: string }
    result: { readonly userId: string; readonly receivesNotices: boolean }
  }
  get_user: {
    parameters: { readonly userId: string }
    result: {
      readonly user: {
        readonly userId: string
        readonly userName: string
        readonly userEmail?: string
        readonly userPhoneNumber?: string
        readonly authenticators: readonly {
          readonly transports: readonly (
            | 'AUTHENTICATOR_TRANSPORT_BLE'
            | 'AUTHENTICATOR_TRANSPORT_INTERNAL'
            | 'AUTHENTICATOR_TRANSPORT_NFC'
            | 'AUTHENTICATOR_TRANSPORT_USB'
            | 'AUTHENTICATOR_TRANSPORT_HYBRID'
          )[]
          readonly attestationType: string
          readonly aaguid: string
          readonly credentialId: string
          readonly model: string
          readonly credential: { readonly publicKey: string; readonly type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR' }
          readonly authenticatorId: string
          readonly authenticatorName: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }[]
        readonly apiKeys: readonly {
          readonly credential: {
            readonly publicKey: string
            readonly type:
              | 'CREDENTIAL_TYPE_API_KEY_P256'
              | 'CREDENTIAL_TYPE_API_KEY_SECP256K1'
              | 'CREDENTIAL_TYPE_API_KEY_ED25519'
              | 'CREDENTIAL_TYPE_LOGIN'
              | 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256'
              | 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256'
              | 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256'
              | 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256'
              | 'CREDENTIAL_TYPE_OAUTH_KEY_P256'
              | 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'
            readonly sessionProfileId?: string
          }
          readonly apiKeyId: string
          readonly apiKeyName: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          readonly expirationSeconds?: string
        }[]
        readonly userTags: readonly string[]
        readonly oauthProviders: readonly {
          readonly providerId: string
          readonly providerName: string
          readonly issuer: string
          readonly audience: string
          readonly subject: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }[]
        readonly mfaPolicies: readonly {
          readonly mfaPolicyId: string
          readonly mfaPolicyName: string
          readonly condition: string
          readonly requiredAuthenticationMethods: readonly {
            readonly any: readonly {
              readonly type:
                | 'AUTHENTICATION_TYPE_EMAIL_OTP'
                | 'AUTHENTICATION_TYPE_SMS_OTP'
                | 'AUTHENTICATION_TYPE_PASSKEY'
                | 'AUTHENTICATION_TYPE_API_KEY'
                | 'AUTHENTICATION_TYPE_OAUTH'
                | 'AUTHENTICATION_TYPE_SESSION'
              readonly id?: string
            }[]
          }[]
          readonly order: number
          readonly notes?: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }[]
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }
    }
  }
  list_users: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly users: readonly {
        readonly userId: string
        readonly userName: string
        readonly userEmail?: string
        readonly userPhoneNumber?: string
        readonly authenticators: readonly {
          readonly transports: readonly (
            | 'AUTHENTICATOR_TRANSPORT_BLE'
            | 'AUTHENTICATOR_TRANSPORT_INTERNAL'
            | 'AUTHENTICATOR_TRANSPORT_NFC'
            | 'AUTHENTICATOR_TRANSPORT_USB'
            | 'AUTHENTICATOR_TRANSPORT_HYBRID'
          )[]
          readonly attestationType: string
          readonly aaguid: string
          readonly credentialId: string
          readonly model: string
          readonly credential: { readonly publicKey: string; readonly type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR' }
          readonly authenticatorId: string
          readonly authenticatorName: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }[]
        readonly apiKeys: readonly {
          readonly credential: {
            readonly publicKey: string
            readonly type:
              | 'CREDENTIAL_TYPE_API_KEY_P256'
              | 'CREDENTIAL_TYPE_API_KEY_SECP256K1'
              | 'CREDENTIAL_TYPE_API_KEY_ED25519'
              | 'CREDENTIAL_TYPE_LOGIN'
              | 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256'
              | 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256'
              | 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256'
              | 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256'
              | 'CREDENTIAL_TYPE_OAUTH_KEY_P256'
              | 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'
            readonly sessionProfileId?: string
          }
          readonly apiKeyId: string
          readonly apiKeyName: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          readonly expirationSeconds?: string
        }[]
        readonly userTags: readonly string[]
        readonly oauthProviders: readonly {
          readonly providerId: string
          readonly providerName: string
          readonly issuer: string
          readonly audience: string
          readonly subject: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }[]
        readonly mfaPolicies: readonly {
          readonly mfaPolicyId: string
          readonly mfaPolicyName: string
          readonly condition: string
          readonly requiredAuthenticationMethods: readonly {
            readonly any: readonly {
              readonly type:
                | 'AUTHENTICATION_TYPE_EMAIL_OTP'
                | 'AUTHENTICATION_TYPE_SMS_OTP'
                | 'AUTHENTICATION_TYPE_PASSKEY'
                | 'AUTHENTICATION_TYPE_API_KEY'
                | 'AUTHENTICATION_TYPE_OAUTH'
                | 'AUTHENTICATION_TYPE_SESSION'
              readonly id?: string
            }[]
          }[]
          readonly order: number
          readonly notes?: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        }[]
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }[]
    }
  }
  get_velocity_control: {
    parameters: { readonly velocityControlId: string }
    result: {
      readonly velocityControl: {
        readonly velocityControlId: string
        readonly organizationId: string
        readonly name: string
        readonly identifier: string
        readonly dataSource: {
          readonly chainAssetTransfer?: {
            readonly definition: readonly { readonly caip19: string; readonly decimals: string }[]
            readonly filter?: { readonly activity?: readonly { readonly activityType: string }[] }
            readonly phase?: {
              readonly signature?: Readonly<Record<string, never>>
              readonly submission?: Readonly<Record<string, never>>
            }
          }
          readonly activityExecution?: {
            readonly filter?: { readonly activity?: readonly { readonly activityType: string }[] }
            readonly unit?: 'VELOCITY_CONTROL_UNIT_ACTIVITY' | 'VELOCITY_CONTROL_UNIT_SIGNATURE'
          }
        }
        readonly aggregation: {
          readonly method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM' | 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT'
          readonly operator:
            | 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN'
            | 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL'
            | 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_EQUAL'
            | 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN_OR_EQUAL'
            | 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN'
          readonly threshold: string
          readonly window: {
            readonly rolling?: { readonly duration: string }
            readonly infinite?: Readonly<Record<string, never>>
          }
          readonly groupBy: {
            readonly organization?: Readonly<Record<string, never>>
            readonly user?: Readonly<Record<string, never>>
            readonly wallet?: Readonly<Record<string, never>>
          }
        }
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }
    }
  }
  list_velocity_controls: {
    parameters: {
      readonly paginationOptions?: { readonly limit?: string; readonly before?: string; readonly after?: string }
    }
    result: {
      readonly velocityControls: readonly {
        readonly velocityControlId: string
        readonly organizationId: string
        readonly name: string
        readonly identifier: string
        readonly dataSource: {
          readonly chainAssetTransfer?: {
            readonly definition: readonly { readonly caip19: string; readonly decimals: string }[]
            readonly filter?: { readonly activity?: readonly { readonly activityType: string }[] }
            readonly phase?: {
              readonly signature?: Readonly<Record<string, never>>
              readonly submission?: Readonly<Record<string, never>>
            }
          }
          readonly activityExecution?: {
            readonly filter?: { readonly activity?: readonly { readonly activityType: string }[] }
            readonly unit?: 'VELOCITY_CONTROL_UNIT_ACTIVITY' | 'VELOCITY_CONTROL_UNIT_SIGNATURE'
          }
        }
        readonly aggregation: {
          readonly method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM' | 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT'
          readonly operator:
            | 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN'
            | 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL'
            | 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_EQUAL'
            | 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN_OR_EQUAL'
            | 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN'
          readonly threshold: string
          readonly window: {
            readonly rolling?: { readonly duration: string }
            readonly infinite?: Readonly<Record<string, never>>
          }
          readonly groupBy: {
            readonly organization?: Readonly<Record<string, never>>
            readonly user?: Readonly<Record<string, never>>
            readonly wallet?: Readonly<Record<string, never>>
          }
        }
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
      }[]
      readonly pageInfo: {
        readonly hasNextPage: boolean
        readonly hasPreviousPage: boolean
        readonly startCursor?: string
        readonly endCursor?: string
      }
    }
  }
  get_wallet: {
    parameters: { readonly walletId: string }
    result: {
      readonly wallet: {
        readonly walletId: string
        readonly walletName: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        readonly exported: boolean
        readonly imported: boolean
      }
    }
  }
  get_wallet_account: {
    parameters: { readonly walletId: string; readonly address?: string; readonly path?: string }
    result: {
      readonly account: {
        readonly walletAccountId: string
        readonly organizationId: string
        readonly walletId: string
        readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256'
        readonly pathFormat: 'PATH_FORMAT_BIP32'
        readonly path: string
        readonly addressFormat:
          | 'ADDRESS_FORMAT_UNCOMPRESSED'
          | 'ADDRESS_FORMAT_COMPRESSED'
          | 'ADDRESS_FORMAT_ETHEREUM'
          | 'ADDRESS_FORMAT_SOLANA'
          | 'ADDRESS_FORMAT_COSMOS'
          | 'ADDRESS_FORMAT_TRON'
          | 'ADDRESS_FORMAT_SUI'
          | 'ADDRESS_FORMAT_APTOS'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR'
          | 'ADDRESS_FORMAT_SEI'
          | 'ADDRESS_FORMAT_XLM'
          | 'ADDRESS_FORMAT_DOGE_MAINNET'
          | 'ADDRESS_FORMAT_DOGE_TESTNET'
          | 'ADDRESS_FORMAT_TON_V3R2'
          | 'ADDRESS_FORMAT_TON_V4R2'
          | 'ADDRESS_FORMAT_TON_V5R1'
          | 'ADDRESS_FORMAT_XRP'
          | 'ADDRESS_FORMAT_SPARK_MAINNET'
          | 'ADDRESS_FORMAT_SPARK_REGTEST'
        readonly address: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        readonly publicKey: string
        readonly walletDetails?: {
          readonly walletId: string
          readonly walletName: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          readonly exported: boolean
          readonly imported: boolean
        }
        readonly name?: string
      }
    }
  }
  list_wallet_accounts: {
    parameters: {
      readonly walletId?: string
      readonly includeWalletDetails?: boolean
      readonly paginationOptions?: { readonly limit?: string; readonly before?: string; readonly after?: string }
    }
    result: {
      readonly accounts: readonly {
        readonly walletAccountId: string
        readonly organizationId: string
        readonly walletId: string
        readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256'
        readonly pathFormat: 'PATH_FORMAT_BIP32'
        readonly path: string
        readonly addressFormat:
          | 'ADDRESS_FORMAT_UNCOMPRESSED'
          | 'ADDRESS_FORMAT_COMPRESSED'
          | 'ADDRESS_FORMAT_ETHEREUM'
          | 'ADDRESS_FORMAT_SOLANA'
          | 'ADDRESS_FORMAT_COSMOS'
          | 'ADDRESS_FORMAT_TRON'
          | 'ADDRESS_FORMAT_SUI'
          | 'ADDRESS_FORMAT_APTOS'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR'
          | 'ADDRESS_FORMAT_SEI'
          | 'ADDRESS_FORMAT_XLM'
          | 'ADDRESS_FORMAT_DOGE_MAINNET'
          | 'ADDRESS_FORMAT_DOGE_TESTNET'
          | 'ADDRESS_FORMAT_TON_V3R2'
          | 'ADDRESS_FORMAT_TON_V4R2'
          | 'ADDRESS_FORMAT_TON_V5R1'
          | 'ADDRESS_FORMAT_XRP'
          | 'ADDRESS_FORMAT_SPARK_MAINNET'
          | 'ADDRESS_FORMAT_SPARK_REGTEST'
        readonly address: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        readonly publicKey: string
        readonly walletDetails?: {
          readonly walletId: string
          readonly walletName: string
          readonly createdAt: { readonly seconds: string; readonly nanos: string }
          readonly updatedAt: { readonly seconds: string; readonly nanos: string }
          readonly exported: boolean
          readonly imported: boolean
        }
        readonly name?: string
      }[]
    }
  }
  list_wallets: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly wallets: readonly {
        readonly walletId: string
        readonly walletName: string
        readonly createdAt: { readonly seconds: string; readonly nanos: string }
        readonly updatedAt: { readonly seconds: string; readonly nanos: string }
        readonly exported: boolean
        readonly imported: boolean
      }[]
    }
  }
  list_webhook_deliveries: {
    parameters: {
      readonly endpointId: string
      readonly status?: 'WEBHOOK_DELIVERY_STATUS_WAITING' | 'WEBHOOK_DELIVERY_STATUS_FAILED'
      readonly paginationOptions?: { readonly limit?: string; readonly after?: string }
    }
    result: {
      readonly deliveries: readonly {
        readonly deliveryId: string
        readonly endpointId: string
        readonly activityId: string
        readonly status: 'WEBHOOK_DELIVERY_STATUS_WAITING' | 'WEBHOOK_DELIVERY_STATUS_FAILED'
        readonly attempts: number
        readonly expiresAt: { readonly seconds: string; readonly nanos: string }
        readonly nextAttemptAt?: { readonly seconds: string; readonly nanos: string }
        readonly failedAt?: { readonly seconds: string; readonly nanos: string }
        readonly reason?: string
      }[]
    }
  }
  list_webhook_endpoints: {
    parameters: Readonly<Record<string, never>>
    result: {
      readonly webhookEndpoints: readonly {
        readonly endpointId: string
        readonly organizationId: string
        readonly url: string
        readonly name: string
        readonly isActive: boolean
        readonly subscriptions: readonly {
          readonly eventType: string
          readonly filtersJson?: string
          readonly isActive?: boolean
        }[]
      }[]
    }
  }
}

/** The newest type of each activity. */
export type Activities = {
  approve_activity: { parameters: { readonly fingerprint: string }; result: Readonly<Record<string, never>> }
  reject_activity: { parameters: { readonly fingerprint: string }; result: Readonly<Record<string, never>> }
  create_api_keys: {
    parameters: {
      readonly apiKeys: readonly {
        readonly apiKeyName: string
        readonly publicKey: string
        readonly curveType: 'API_KEY_CURVE_P256' | 'API_KEY_CURVE_SECP256K1' | 'API_KEY_CURVE_ED25519'
        readonly expirationSeconds?: string
      }[]
      readonly userId: string
    }
    result: { readonly apiKeyIds: readonly string[] }
  }
  delete_api_keys: {
    parameters: { readonly userId: string; readonly apiKeyIds: readonly string[] }
    result: { readonly apiKeyIds: readonly string[] }
  }
  disable_auth_proxy: { parameters: Readonly<Record<string, never>>; result: Readonly<Record<string, never>> }
  enable_auth_proxy: {
    parameters: {
      readonly operations: readonly (
        | 'account'
        | 'oauth_login'
        | 'otp_init'
        | 'otp_init_v2'
        | 'otp_login'
        | 'otp_login_v2'
        | 'otp_verify'
        | 'otp_verify_v2'
        | 'wallet_kit_client_params'
        | 'wallet_kit_config'
      )[]
      readonly allowedOrigins: readonly string[]
      readonly appName: string
      readonly sessionExpirationSeconds?: string
      readonly otpExpirationSeconds?: string
      readonly otpLength?: number
      readonly otpAlphanumeric?: boolean
      readonly oauthProviders?: readonly {
        readonly providerName: string
        readonly issuer: string
        readonly clientId: string
        readonly authorizationUrl: string
      }[]
      readonly oauthRedirectUrl?: string
      readonly sessionsMayChangeCredentials?: boolean
    }
    result: { readonly configId: string; readonly userId: string }
  }
  update_auth_proxy_config: {
    parameters: {
      readonly operations: readonly (
        | 'account'
        | 'oauth_login'
        | 'otp_init'
        | 'otp_init_v2'
        | 'otp_login'
        | 'otp_login_v2'
        | 'otp_verify'
        | 'otp_verify_v2'
        | 'wallet_kit_client_params'
        | 'wallet_kit_config'
      )[]
      readonly allowedOrigins: readonly string[]
      readonly appName: string
      readonly sessionExpirationSeconds?: string
      readonly otpExpirationSeconds?: string
      readonly otpLength?: number
      readonly otpAlphanumeric?: boolean
      readonly oauthProviders?: readonly {
        readonly providerName: string
        readonly issuer: string
        readonly clientId: string
        readonly authorizationUrl: string
      }[]
      readonly oauthRedirectUrl?: string
      readonly sessionsMayChangeCredentials?: boolean
    }
    result: Readonly<Record<string, never>>
  }
  create_authenticators: {
    parameters: {
      readonly authenticators: readonly {
        readonly authenticatorName: string
        readonly challenge: string
        readonly attestation: {
          readonly credentialId: string
          readonly clientDataJson: string
          readonly attestationObject: string
          readonly transports: readonly (
            | 'AUTHENTICATOR_TRANSPORT_BLE'
            | 'AUTHENTICATOR_TRANSPORT_INTERNAL'
            | 'AUTHENTICATOR_TRANSPORT_NFC'
            | 'AUTHENTICATOR_TRANSPORT_USB'
            | 'AUTHENTICATOR_TRANSPORT_HYBRID'
          )[]
        }
      }[]
      readonly userId: string
    }
    result: { readonly authenticatorIds: readonly string[] }
  }
  delete_authenticators: {
    parameters: { readonly userId: string; readonly authenticatorIds: readonly string[] }
    result: { readonly authenticatorIds: readonly string[] }
  }
  remove_organization_feature: {
    parameters: {
      readonly name:
        | 'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY'
        | 'FEATURE_NAME_WEBAUTHN_ORIGINS'
        | 'FEATURE_NAME_EMAIL_AUTH'
        | 'FEATURE_NAME_EMAIL_RECOVERY'
        | 'FEATURE_NAME_WEBHOOK'
        | 'FEATURE_NAME_SMS_AUTH'
        | 'FEATURE_NAME_OTP_EMAIL_AUTH'
        | 'FEATURE_NAME_AUTH_PROXY'
        | 'FEATURE_NAME_SOLANA_RENT_PREFUND_ENABLED'
        | 'FEATURE_NAME_SWAP_CONFIG'
        | 'FEATURE_NAME_EARN_CONFIG'
        | 'FEATURE_NAME_SUB_ORGANIZATION_MAILS'
    }
    result: {
      readonly features: readonly {
        readonly name:
          | 'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY'
          | 'FEATURE_NAME_WEBAUTHN_ORIGINS'
          | 'FEATURE_NAME_EMAIL_AUTH'
          | 'FEATURE_NAME_EMAIL_RECOVERY'
          | 'FEATURE_NAME_WEBHOOK'
          | 'FEATURE_NAME_SMS_AUTH'
          | 'FEATURE_NAME_OTP_EMAIL_AUTH'
          | 'FEATURE_NAME_AUTH_PROXY'
          | 'FEATURE_NAME_SOLANA_RENT_PREFUND_ENABLED'
          | 'FEATURE_NAME_SWAP_CONFIG'
          | 'FEATURE_NAME_EARN_CONFIG'
          | 'FEATURE_NAME_SUB_ORGANIZATION_MAILS'
        readonly value?: string
      }[]
    }
  }
  set_organization_feature: {
    parameters: {
      readonly name:
        | 'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY'
        | 'FEATURE_NAME_WEBAUTHN_ORIGINS'
        | 'FEATURE_NAME_EMAIL_AUTH'
        | 'FEATURE_NAME_EMAIL_RECOVERY'
        | 'FEATURE_NAME_WEBHOOK'
        | 'FEATURE_NAME_SMS_AUTH'
        | 'FEATURE_NAME_OTP_EMAIL_AUTH'
        | 'FEATURE_NAME_AUTH_PROXY'
        | 'FEATURE_NAME_SOLANA_RENT_PREFUND_ENABLED'
        | 'FEATURE_NAME_SWAP_CONFIG'
        | 'FEATURE_NAME_EARN_CONFIG'
        | 'FEATURE_NAME_SUB_ORGANIZATION_MAILS'
      readonly value?: string
    }
    result: {
      readonly features: readonly {
        readonly name:
          | 'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY'
          | 'FEATURE_NAME_WEBAUTHN_ORIGINS'
          | 'FEATURE_NAME_EMAIL_AUTH'
          | 'FEATURE_NAME_EMAIL_RECOVERY'
          | 'FEATURE_NAME_WEBHOOK'
          | 'FEATURE_NAME_SMS_AUTH'
          | 'FEATURE_NAME_OTP_EMAIL_AUTH'
          | 'FEATURE_NAME_AUTH_PROXY'
          | 'FEATURE_NAME_SOLANA_RENT_PREFUND_ENABLED'
          | 'FEATURE_NAME_SWAP_CONFIG'
          | 'FEATURE_NAME_EARN_CONFIG'
          | 'FEATURE_NAME_SUB_ORGANIZATION_MAILS'
        readonly value?: string
      }[]
    }
  }
  create_fiat_on_ramp_credential: {
    parameters: {
      readonly onrampProvider:
        | 'FIAT_ON_RAMP_PROVIDER_PROVIDER_A'
        | 'FIAT_ON_RAMP_PROVIDER_COINBASE'
        | 'FIAT_ON_RAMP_PROVIDER_PROVIDER_B'
        | 'FIAT_ON_RAMP_PROVIDER_MOONPAY'
      readonly projectId?: string
      readonly publishableApiKey: string
      readonly encryptedSecretApiKey: string
      readonly encryptedPrivateApiKey?: string
      readonly sandboxMode?: boolean
    }
    result: { readonly fiatOnRampCredentialId: string }
  }
  delete_fiat_on_ramp_credential: {
    parameters: { readonly fiatOnrampCredentialId: string }
    result: { readonly fiatOnRampCredentialId: string }
  }
  update_fiat_on_ramp_credential: {
    parameters: {
      readonly fiatOnrampCredentialId: string
      readonly onrampProvider:
        | 'FIAT_ON_RAMP_PROVIDER_PROVIDER_A'
        | 'FIAT_ON_RAMP_PROVIDER_COINBASE'
        | 'FIAT_ON_RAMP_PROVIDER_PROVIDER_B'
        | 'FIAT_ON_RAMP_PROVIDER_MOONPAY'
      readonly projectId?: string
      readonly publishableApiKey: string
      readonly encryptedSecretApiKey: string
      readonly encryptedPrivateApiKey?: string
    }
    result: { readonly fiatOnRampCredentialId: string }
  }
  accept_invitation: {
    parameters: {
      readonly invitationId: string
      readonly userId: string
      readonly authenticator: {
        readonly authenticatorName: string
        readonly challenge: string
        readonly attestation: {
          readonly credentialId: string
          readonly clientDataJson: string
          readonly attestationObject: string
          readonly transports: readonly (
            | 'AUTHENTICATOR_TRANSPORT_BLE'
            | 'AUTHENTICATOR_TRANSPORT_INTERNAL'
            | 'AUTHENTICATOR_TRANSPORT_NFC'
            | 'AUTHENTICATOR_TRANSPORT_USB'
            | 'AUTHENTICATOR_TRANSPORT_HYBRID'
          )[]
        }
      }
    }
    result: { readonly invitationId: string; readonly userId: string }
  }
  create_invitations: {
    parameters: {
      readonly invitations: readonly {
        readonly receiverUserName: string
        readonly receiverUserEmail: string
        readonly receiverUserTags: readonly string[]
        readonly accessType: 'ACCESS_TYPE_WEB' | 'ACCESS_TYPE_API' | 'ACCESS_TYPE_ALL'
        readonly senderUserId: string
      }[]
    }
    result: { readonly invitationIds: readonly string[] }
  }
  delete_invitation: { parameters: { readonly invitationId: string }; result: { readonly invitationId: string } }
  remove_ip_allowlist: { parameters: { readonly publicKey?: string }; result: Readonly<Record<string, never>> }
  set_ip_allowlist: {
    parameters: {
      readonly publicKey?: string
      readonly enabled?: boolean
      readonly rules?: readonly { readonly cidr: string; readonly label?: string }[]
      readonly onEvaluationError?: 'ALLOW' | 'DENY'
      readonly allowLockout?: boolean
    }
    result: Readonly<Record<string, never>>
  }
  create_mfa_policy: {
    parameters: {
      readonly userId: string
      readonly mfaPolicyName: string
      readonly condition: string
      readonly requiredAuthenticationMethods: readonly {
        readonly any: readonly {
          readonly type:
            | 'AUTHENTICATION_TYPE_EMAIL_OTP'
            | 'AUTHENTICATION_TYPE_SMS_OTP'
            | 'AUTHENTICATION_TYPE_PASSKEY'
            | 'AUTHENTICATION_TYPE_API_KEY'
            | 'AUTHENTICATION_TYPE_OAUTH'
            | 'AUTHENTICATION_TYPE_SESSION'
          readonly id?: string
        }[]
      }[]
      readonly order: number
      readonly notes?: string
    }
    result: { readonly mfaPolicyId: string }
  }
  delete_mfa_policy: {
    parameters: { readonly userId: string; readonly mfaPolicyId: string }
    result: { readonly mfaPolicyId: string }
  }
  update_mfa_policy: {
    parameters: {
      readonly userId: string
      readonly mfaPolicyId: string
      readonly mfaPolicyName?: string
      readonly condition?: string
      readonly requiredAuthenticationMethods?: readonly {
        readonly any: readonly {
          readonly type:
            | 'AUTHENTICATION_TYPE_EMAIL_OTP'
            | 'AUTHENTICATION_TYPE_SMS_OTP'
            | 'AUTHENTICATION_TYPE_PASSKEY'
            | 'AUTHENTICATION_TYPE_API_KEY'
            | 'AUTHENTICATION_TYPE_OAUTH'
            | 'AUTHENTICATION_TYPE_SESSION'
          readonly id?: string
        }[]
      }[]
      readonly order?: number
      readonly notes?: string
    }
    result: { readonly mfaPolicyId: string }
  }
  create_oauth2_credential: {
    parameters: {
      readonly provider:
        | 'OAUTH2_PROVIDER_PROVIDER_A'
        | 'OAUTH2_PROVIDER_X'
        | 'OAUTH2_PROVIDER_PROVIDER_B'
        | 'OAUTH2_PROVIDER_DISCORD'
      readonly clientId: string
      readonly encryptedClientSecret: string
    }
    result: { readonly oauth2CredentialId: string }
  }
  delete_oauth2_credential: {
    parameters: { readonly oauth2CredentialId: string }
    result: { readonly oauth2CredentialId: string }
  }
  oauth2_authenticate: {
    parameters: {
      readonly oauth2CredentialId: string
      readonly authCode: string
      readonly redirectUri: string
      readonly codeVerifier: string
      readonly nonce: string
      readonly bearerTokenTargetPublicKey?: string
    }
    result: { readonly oidcToken: string }
  }
  update_oauth2_credential: {
    parameters: {
      readonly oauth2CredentialId: string
      readonly provider:
        | 'OAUTH2_PROVIDER_PROVIDER_A'
        | 'OAUTH2_PROVIDER_X'
        | 'OAUTH2_PROVIDER_PROVIDER_B'
        | 'OAUTH2_PROVIDER_DISCORD'
      readonly clientId: string
      readonly encryptedClientSecret: string
    }
    result: { readonly oauth2CredentialId: string }
  }
  create_oauth_providers: {
    parameters: {
      readonly userId: string
      readonly oauthProviders: readonly {
        readonly providerName: string
        readonly oidcToken?: string
        readonly oidcClaims?: { readonly iss: string; readonly sub: string; readonly aud: string }
      }[]
    }
    result: { readonly providerIds: readonly string[] }
  }
  delete_oauth_providers: {
    parameters: { readonly userId: string; readonly providerIds: readonly string[] }
    result: { readonly providerIds: readonly string[] }
  }
  update_organization_name: {
    parameters: { readonly organizationName: string }
    result: { readonly organizationId: string; readonly organizationName: string }
  }
  update_root_quorum: {
    parameters: { readonly threshold: number; readonly userIds: readonly string[] }
    result: Readonly<Record<string, never>>
  }
  create_policies: {
    parameters: {
      readonly policies: readonly {
        readonly policyName: string
        readonly effect: 'EFFECT_ALLOW' | 'EFFECT_DENY'
        readonly condition?: string
        readonly consensus?: string
        readonly time?: string
        readonly notes: string
      }[]
    }
    result: { readonly policyIds: readonly string[] }
  }
  create_policy: {
    parameters: {
      readonly policyName: string
      readonly effect: 'EFFECT_ALLOW' | 'EFFECT_DENY'
      readonly condition?: string
      readonly consensus?: string
      readonly time?: string
      readonly notes: string
    }
    result: { readonly policyId: string }
  }
  delete_policies: {
    parameters: { readonly policyIds: readonly string[] }
    result: { readonly policyIds: readonly string[] }
  }
  delete_policy: { parameters: { readonly policyId: string }; result: { readonly policyId: string } }
  update_policy: {
    parameters: {
      readonly policyId: string
      readonly policyName?: string
      readonly policyEffect?: 'EFFECT_ALLOW' | 'EFFECT_DENY'
      readonly policyCondition?: string
      readonly policyConsensus?: string
      readonly policyNotes?: string
      readonly time?: string
    }
    result: { readonly policyId: string }
  }
  create_private_key_tag: {
    parameters: { readonly privateKeyTagName: string; readonly privateKeyIds: readonly string[] }
    result: { readonly privateKeyTagId: string; readonly privateKeyIds: readonly string[] }
  }
  delete_private_key_tags: {
    parameters: { readonly privateKeyTagIds: readonly string[] }
    result: { readonly privateKeyTagIds: readonly string[]; readonly privateKeyIds: readonly string[] }
  }
  update_private_key_tag: {
    parameters: {
      readonly privateKeyTagId: string
      readonly newPrivateKeyTagName?: string
      readonly addPrivateKeyIds: readonly string[]
      readonly removePrivateKeyIds: readonly string[]
    }
    result: { readonly privateKeyTagId: string }
  }
  create_private_keys: {
    parameters: {
      readonly privateKeys: readonly {
        readonly privateKeyName: string
        readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256'
        readonly privateKeyTags: readonly string[]
        readonly addressFormats: readonly (
          | 'ADDRESS_FORMAT_UNCOMPRESSED'
          | 'ADDRESS_FORMAT_COMPRESSED'
          | 'ADDRESS_FORMAT_ETHEREUM'
          | 'ADDRESS_FORMAT_SOLANA'
          | 'ADDRESS_FORMAT_COSMOS'
          | 'ADDRESS_FORMAT_TRON'
          | 'ADDRESS_FORMAT_SUI'
          | 'ADDRESS_FORMAT_APTOS'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR'
          | 'ADDRESS_FORMAT_SEI'
          | 'ADDRESS_FORMAT_XLM'
          | 'ADDRESS_FORMAT_DOGE_MAINNET'
          | 'ADDRESS_FORMAT_DOGE_TESTNET'
          | 'ADDRESS_FORMAT_TON_V3R2'
          | 'ADDRESS_FORMAT_TON_V4R2'
          | 'ADDRESS_FORMAT_TON_V5R1'
          | 'ADDRESS_FORMAT_XRP'
          | 'ADDRESS_FORMAT_SPARK_MAINNET'
          | 'ADDRESS_FORMAT_SPARK_REGTEST'
        )[]
      }[]
    }
    result: {
      readonly privateKeys: readonly {
        readonly privateKeyId: string
        readonly addresses: readonly {
          readonly format:
            | 'ADDRESS_FORMAT_UNCOMPRESSED'
            | 'ADDRESS_FORMAT_COMPRESSED'
            | 'ADDRESS_FORMAT_ETHEREUM'
            | 'ADDRESS_FORMAT_SOLANA'
            | 'ADDRESS_FORMAT_COSMOS'
            | 'ADDRESS_FORMAT_TRON'
            | 'ADDRESS_FORMAT_SUI'
            | 'ADDRESS_FORMAT_APTOS'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR'
            | 'ADDRESS_FORMAT_SEI'
            | 'ADDRESS_FORMAT_XLM'
            | 'ADDRESS_FORMAT_DOGE_MAINNET'
            | 'ADDRESS_FORMAT_DOGE_TESTNET'
            | 'ADDRESS_FORMAT_TON_V3R2'
            | 'ADDRESS_FORMAT_TON_V4R2'
            | 'ADDRESS_FORMAT_TON_V5R1'
            | 'ADDRESS_FORMAT_XRP'
            | 'ADDRESS_FORMAT_SPARK_MAINNET'
            | 'ADDRESS_FORMAT_SPARK_REGTEST'
          readonly address: string
        }[]
      }[]
    }
  }
  delete_private_keys: {
    parameters: { readonly privateKeyIds: readonly string[]; readonly deleteWithoutExport?: boolean }
    result: { readonly privateKeyIds: readonly string[] }
  }
  export_private_key: {
    parameters: { readonly privateKeyId: string; readonly targetPublicKey: string }
    result: { readonly privateKeyId: string; readonly exportBundle: string }
  }
  import_private_key: {
    parameters: {
      readonly userId: string
      readonly privateKeyName: string
      readonly encryptedBundle: string
      readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256'
      readonly addressFormats: readonly (
        | 'ADDRESS_FORMAT_UNCOMPRESSED'
        | 'ADDRESS_FORMAT_COMPRESSED'
        | 'ADDRESS_FORMAT_ETHEREUM'
        | 'ADDRESS_FORMAT_SOLANA'
        | 'ADDRESS_FORMAT_COSMOS'
        | 'ADDRESS_FORMAT_TRON'
        | 'ADDRESS_FORMAT_SUI'
        | 'ADDRESS_FORMAT_APTOS'
        | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH'
        | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH'
        | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'
        | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH'
        | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'
        | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH'
        | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH'
        | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH'
        | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH'
        | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR'
        | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH'
        | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH'
        | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH'
        | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH'
        | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR'
        | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH'
        | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH'
        | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH'
        | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH'
        | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR'
        | 'ADDRESS_FORMAT_SEI'
        | 'ADDRESS_FORMAT_XLM'
        | 'ADDRESS_FORMAT_DOGE_MAINNET'
        | 'ADDRESS_FORMAT_DOGE_TESTNET'
        | 'ADDRESS_FORMAT_TON_V3R2'
        | 'ADDRESS_FORMAT_TON_V4R2'
        | 'ADDRESS_FORMAT_TON_V5R1'
        | 'ADDRESS_FORMAT_XRP'
        | 'ADDRESS_FORMAT_SPARK_MAINNET'
        | 'ADDRESS_FORMAT_SPARK_REGTEST'
      )[]
    }
    result: {
      readonly privateKeyId: string
      readonly addresses: readonly {
        readonly format:
          | 'ADDRESS_FORMAT_UNCOMPRESSED'
          | 'ADDRESS_FORMAT_COMPRESSED'
          | 'ADDRESS_FORMAT_ETHEREUM'
          | 'ADDRESS_FORMAT_SOLANA'
          | 'ADDRESS_FORMAT_COSMOS'
          | 'ADDRESS_FORMAT_TRON'
          | 'ADDRESS_FORMAT_SUI'
          | 'ADDRESS_FORMAT_APTOS'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR'
          | 'ADDRESS_FORMAT_SEI'
          | 'ADDRESS_FORMAT_XLM'
          | 'ADDRESS_FORMAT_DOGE_MAINNET'
          | 'ADDRESS_FORMAT_DOGE_TESTNET'
          | 'ADDRESS_FORMAT_TON_V3R2'
          | 'ADDRESS_FORMAT_TON_V4R2'
          | 'ADDRESS_FORMAT_TON_V5R1'
          | 'ADDRESS_FORMAT_XRP'
          | 'ADDRESS_FORMAT_SPARK_MAINNET'
          | 'ADDRESS_FORMAT_SPARK_REGTEST'
        readonly address: string
      }[]
    }
  }
  init_import_private_key: { parameters: { readonly userId: string }; result: { readonly importBundle: string } }
  create_passkey_link: {
    parameters: {
      readonly userId: string
      readonly publicKey?: string
      readonly sendEmail?: boolean
      readonly expirationSeconds?: string
    }
    result: { readonly apiKeyId: string }
  }
  init_user_email_recovery: {
    parameters: {
      readonly email: string
      readonly targetPublicKey: string
      readonly expirationSeconds?: string
      readonly sendFromEmailAddress?: string
      readonly sendFromEmailSenderName?: string
      readonly replyToEmailAddress?: string
      readonly emailCustomization: {
        readonly appName: string
        readonly logoUrl?: string
        readonly magicLinkTemplate?: string
        readonly templateVariables?: unknown
        readonly templateId?: unknown
      }
    }
    result: { readonly userId: string }
  }
  recover_user: {
    parameters: {
      readonly authenticator: {
        readonly authenticatorName: string
        readonly challenge: string
        readonly attestation: {
          readonly credentialId: string
          readonly clientDataJson: string
          readonly attestationObject: string
          readonly transports: readonly (
            | 'AUTHENTICATOR_TRANSPORT_BLE'
            | 'AUTHENTICATOR_TRANSPORT_INTERNAL'
            | 'AUTHENTICATOR_TRANSPORT_NFC'
            | 'AUTHENTICATOR_TRANSPORT_USB'
            | 'AUTHENTICATOR_TRANSPORT_HYBRID'
          )[]
        }
      }
      readonly userId: string
    }
    result: { readonly authenticatorId: readonly string[] }
  }
  create_session_profile: {
    parameters: {
      readonly sessionProfileName: string
      readonly scope: string
      readonly expirationSeconds?: string
      readonly notes?: string
    }
    result: { readonly sessionProfileId: string }
  }
  init_otp: {
    parameters: {
      readonly otpType: 'OTP_TYPE_SMS' | 'OTP_TYPE_EMAIL'
      readonly contact: string
      readonly otpLength?: number
      readonly smsCustomization?: { readonly template?: string }
      readonly userIdentifier?: string
      readonly alphanumeric?: boolean
      readonly expirationSeconds?: string
      readonly sendFromEmailAddress?: string
      readonly sendFromEmailSenderName?: string
      readonly replyToEmailAddress?: string
      readonly appName: string
      readonly emailCustomization?: {
        readonly logoUrl?: string
        readonly magicLinkTemplate?: string
        readonly templateVariables?: string
        readonly templateId?: string
      }
    }
    result: { readonly otpId: string; readonly otpEncryptionTargetBundle: string }
  }
  oauth_login: {
    parameters: {
      readonly oidcToken: string
      readonly publicKey: string
      readonly expirationSeconds?: string
      readonly invalidateExisting?: boolean
      readonly sessionProfileId?: string
    }
    result: { readonly session: string }
  }
  otp_login: {
    parameters: {
      readonly verificationToken: string
      readonly publicKey: string
      readonly expirationSeconds?: string
      readonly invalidateExisting?: boolean
      readonly sessionProfileId?: string
      readonly clientSignature: {
        readonly publicKey: string
        readonly scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256'
        readonly message: string
        readonly signature: string
      }
    }
    result: { readonly session: string }
  }
  stamp_login: {
    parameters: {
      readonly publicKey: string
      readonly expirationSeconds?: string
      readonly invalidateExisting?: boolean
      readonly sessionProfileId?: string
    }
    result: { readonly session: string }
  }
  verify_otp: {
    parameters: { readonly otpId: string; readonly encryptedOtpBundle: string; readonly expirationSeconds?: string }
    result: { readonly verificationToken: string }
  }
  sign_raw_payload: {
    parameters: {
      readonly signWith: string
      readonly payload: string
      readonly encoding:
        | 'PAYLOAD_ENCODING_HEXADECIMAL'
        | 'PAYLOAD_ENCODING_TEXT_UTF8'
        | 'PAYLOAD_ENCODING_EIP712'
        | 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION'
      readonly hashFunction:
        | 'HASH_FUNCTION_NO_OP'
        | 'HASH_FUNCTION_SHA256'
        | 'HASH_FUNCTION_KECCAK256'
        | 'HASH_FUNCTION_NOT_APPLICABLE'
    }
    result: { readonly r: string; readonly s: string; readonly v: string }
  }
  sign_raw_payloads: {
    parameters: {
      readonly signWith: string
      readonly payloads: readonly string[]
      readonly encoding:
        | 'PAYLOAD_ENCODING_HEXADECIMAL'
        | 'PAYLOAD_ENCODING_TEXT_UTF8'
        | 'PAYLOAD_ENCODING_EIP712'
        | 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION'
      readonly hashFunction:
        | 'HASH_FUNCTION_NO_OP'
        | 'HASH_FUNCTION_SHA256'
        | 'HASH_FUNCTION_KECCAK256'
        | 'HASH_FUNCTION_NOT_APPLICABLE'
    }
    result: { readonly signatures: readonly { readonly r: string; readonly s: string; readonly v: string }[] }
  }
  sign_transaction: {
    parameters: {
      readonly signWith: string
      readonly unsignedTransaction: string
      readonly type:
        | 'TRANSACTION_TYPE_ETHEREUM'
        | 'TRANSACTION_TYPE_SOLANA'
        | 'TRANSACTION_TYPE_TRON'
        | 'TRANSACTION_TYPE_BITCOIN'
    }
    result: { readonly signedTransaction: string }
  }
  create_smart_contract_interface: {
    parameters: {
      readonly smartContractAddress: string
      readonly smartContractInterface: string
      readonly type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM' | 'SMART_CONTRACT_INTERFACE_TYPE_SOLANA'
      readonly label: string
      readonly notes?: string
    }
    result: { readonly smartContractInterfaceId: string }
  }
  delete_smart_contract_interface: {
    parameters: { readonly smartContractInterfaceId: string }
    result: { readonly smartContractInterfaceId: string }
  }
  spark_prepare_lightning_receive: {
    parameters: {
      readonly signWith: string
      readonly lightningReceive: {
        readonly threshold: number
        readonly operatorRecipients: readonly { readonly operatorId: string; readonly encryptionPublicKey: string }[]
      }
    }
    result: {
      readonly operatorPackages: readonly { readonly operatorId: string; readonly encryptedPackage: string }[]
      readonly paymentHash: string
    }
  }
  create_sub_organization: {
    parameters: {
      readonly subOrganizationName: string
      readonly rootUsers: readonly {
        readonly userName: string
        readonly userEmail?: string
        readonly userPhoneNumber?: string
        readonly apiKeys: readonly {
          readonly apiKeyName: string
          readonly publicKey: string
          readonly curveType: 'API_KEY_CURVE_P256' | 'API_KEY_CURVE_SECP256K1' | 'API_KEY_CURVE_ED25519'
          readonly expirationSeconds?: string
        }[]
        readonly authenticators: readonly {
          readonly authenticatorName: string
          readonly challenge: string
          readonly attestation: {
            readonly credentialId: string
            readonly clientDataJson: string
            readonly attestationObject: string
            readonly transports: readonly (
              | 'AUTHENTICATOR_TRANSPORT_BLE'
              | 'AUTHENTICATOR_TRANSPORT_INTERNAL'
              | 'AUTHENTICATOR_TRANSPORT_NFC'
              | 'AUTHENTICATOR_TRANSPORT_USB'
              | 'AUTHENTICATOR_TRANSPORT_HYBRID'
            )[]
          }
        }[]
        readonly oauthProviders: readonly {
          readonly providerName: string
          readonly oidcToken?: string
          readonly oidcClaims?: { readonly iss: string; readonly sub: string; readonly aud: string }
        }[]
      }[]
      readonly rootQuorumThreshold: number
      readonly wallet?: {
        readonly walletName: string
        readonly accounts: readonly {
          readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256'
          readonly pathFormat: 'PATH_FORMAT_BIP32'
          readonly path: string
          readonly addressFormat:
            | 'ADDRESS_FORMAT_UNCOMPRESSED'
            | 'ADDRESS_FORMAT_COMPRESSED'
            | 'ADDRESS_FORMAT_ETHEREUM'
            | 'ADDRESS_FORMAT_SOLANA'
            | 'ADDRESS_FORMAT_COSMOS'
            | 'ADDRESS_FORMAT_TRON'
            | 'ADDRESS_FORMAT_SUI'
            | 'ADDRESS_FORMAT_APTOS'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH'
            | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH'
            | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH'
            | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH'
            | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR'
            | 'ADDRESS_FORMAT_SEI'
            | 'ADDRESS_FORMAT_XLM'
            | 'ADDRESS_FORMAT_DOGE_MAINNET'
            | 'ADDRESS_FORMAT_DOGE_TESTNET'
            | 'ADDRESS_FORMAT_TON_V3R2'
            | 'ADDRESS_FORMAT_TON_V4R2'
            | 'ADDRESS_FORMAT_TON_V5R1'
            | 'ADDRESS_FORMAT_XRP'
            | 'ADDRESS_FORMAT_SPARK_MAINNET'
            | 'ADDRESS_FORMAT_SPARK_REGTEST'
          readonly name?: string
        }[]
        readonly mnemonicLength?: 12 | 15 | 18 | 21 | 24
      }
      readonly disableEmailRecovery?: boolean
      readonly disableEmailAuth?: boolean
      readonly disableSmsAuth?: boolean
      readonly disableOtpEmailAuth?: boolean
      readonly verificationToken?: string
      readonly clientSignature?: {
        readonly publicKey: string
        readonly scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256'
        readonly message: string
        readonly signature: string
      }
    }
    result: {
      readonly subOrganizationId: string
      readonly wallet?: { readonly walletId: string; readonly addresses: readonly string[] }
      readonly rootUserIds: readonly string[]
    }
  }
  delete_sub_organization: {
    parameters: { readonly deleteWithoutExport?: boolean }
    result: { readonly subOrganizationUuid: string }
  }
  create_tvc_app: {
    parameters: {
      readonly name: string
      readonly quorumPublicKey: string
      readonly manifestSetId?: string
      readonly manifestSetParams?: {
        readonly name: string
        readonly newOperators?: readonly { readonly name: string; readonly publicKey: string }[]
        readonly existingOperatorIds?: readonly string[]
        readonly threshold: number
      }
      readonly shareSetId?: string
      readonly shareSetParams?: {
        readonly name: string
        readonly newOperators?: readonly { readonly name: string; readonly publicKey: string }[]
        readonly existingOperatorIds?: readonly string[]
        readonly threshold: number
      }
      readonly enableEgress?: boolean
      readonly enableDebugModeDeployments?: boolean
    }
    result: {
      readonly appId: string
      readonly manifestSetId: string
      readonly manifestSetOperatorIds: readonly string[]
      readonly manifestSetThreshold: number
      readonly shareSetId: string
      readonly shareSetOperatorIds: readonly string[]
      readonly shareSetThreshold: number
    }
  }
  create_tvc_deployment: {
    parameters: {
      readonly appId: string
      readonly qosVersion: string
      readonly pivotContainerImageUrl: string
      readonly pivotPath: string
      readonly pivotArgs: readonly string[]
      readonly expectedPivotDigest: string
      readonly nonce?: number
      readonly pivotContainerEncryptedPullSecret?: string
      readonly debugMode?: boolean
      readonly healthCheckType: 'TVC_HEALTH_CHECK_TYPE_HTTP' | 'TVC_HEALTH_CHECK_TYPE_GRPC'
      readonly healthCheckPort: number
      readonly publicIngressPort: number
      readonly replicas?: number
      readonly instanceSizeCpus?: number
      readonly instanceSizeRam?: number
    }
    result: { readonly deploymentId: string; readonly manifestId: string }
  }
  create_tvc_manifest_approvals: {
    parameters: {
      readonly manifestId: string
      readonly approvals: readonly { readonly operatorId: string; readonly signature: string }[]
    }
    result: { readonly approvalIds: readonly string[] }
  }
  delete_tvc_app_and_deployments: { parameters: { readonly appId: string }; result: { readonly appId: string } }
  delete_tvc_deployment: { parameters: { readonly deploymentId: string }; result: { readonly deploymentId: string } }
  restore_tvc_deployment: { parameters: { readonly deploymentId: string }; result: { readonly deploymentId: string } }
  set_tvc_app_live_deployment: {
    parameters: { readonly deploymentId: string }
    result: Readonly<Record<string, never>>
  }
  create_user_tag: {
    parameters: { readonly userTagName: string; readonly userIds: readonly string[] }
    result: { readonly userTagId: string; readonly userIds: readonly string[] }
  }
  delete_user_tags: {
    parameters: { readonly userTagIds: readonly string[] }
    result: { readonly userTagIds: readonly string[]; readonly userIds: readonly string[] }
  }
  update_user_tag: {
    parameters: {
      readonly userTagId: string
      readonly newUserTagName?: string
      readonly addUserIds: readonly string[]
      readonly removeUserIds: readonly string[]
    }
    result: { readonly userTagId: string }
  }
  create_api_only_users: {
    parameters: {
      readonly apiOnlyUsers: readonly {
        readonly userName: string
        readonly userEmail?: string
        readonly userTags: readonly string[]
        readonly apiKeys: readonly {
          readonly apiKeyName: string
          readonly publicKey: string
          readonly expirationSeconds?: string
        }[]
      }[]
    }
    result: { readonly userIds: readonly string[] }
  }
  create_users: {
    parameters: {
      readonly users: readonly {
        readonly userName: string
        readonly userEmail?: string
        readonly userPhoneNumber?: string
        readonly apiKeys: readonly {
          readonly apiKeyName: string
          readonly publicKey: string
          readonly curveType: 'API_KEY_CURVE_P256' | 'API_KEY_CURVE_SECP256K1' | 'API_KEY_CURVE_ED25519'
          readonly expirationSeconds?: string
        }[]
        readonly authenticators: readonly {
          readonly authenticatorName: string
          readonly challenge: string
          readonly attestation: {
            readonly credentialId: string
            readonly clientDataJson: string
            readonly attestationObject: string
            readonly transports: readonly (
              | 'AUTHENTICATOR_TRANSPORT_BLE'
              | 'AUTHENTICATOR_TRANSPORT_INTERNAL'
              | 'AUTHENTICATOR_TRANSPORT_NFC'
              | 'AUTHENTICATOR_TRANSPORT_USB'
              | 'AUTHENTICATOR_TRANSPORT_HYBRID'
            )[]
          }
        }[]
        readonly oauthProviders: readonly {
          readonly providerName: string
          readonly oidcToken?: string
          readonly oidcClaims?: { readonly iss: string; readonly sub: string; readonly aud: string }
        }[]
        readonly userTags: readonly string[]
      }[]
    }
    result: { readonly userIds: readonly string[] }
  }
  delete_users: { parameters: { readonly userIds: readonly string[] }; result: { readonly userIds: readonly string[] } }
  set_notice_preferences: {
    parameters: { readonly userId: string; readonly receivesNotices: boolean }
    result: { readonly userId: string }
  }
  update_user: {
    parameters: {
      readonly userId: string
      readonly userName?: string
      readonly userEmail?: string
      readonly userTagIds?: readonly string[]
      readonly userPhoneNumber?: string
    }
    result: { readonly userId: string }
  }
  update_user_email: {
    parameters: { readonly userId: string; readonly userEmail: string; readonly verificationToken?: string }
    result: { readonly userId: string }
  }
  update_user_name: {
    parameters: { readonly userId: string; readonly userName: string }
    result: { readonly userId: string }
  }
  update_user_phone_number: {
    parameters: { readonly userId: string; readonly userPhoneNumber: string; readonly verificationToken?: string }
    result: { readonly userId: string }
  }
  create_velocity_control: {
    parameters: {
      readonly name: string
      readonly dataSource: {
        readonly chainAssetTransfer?: {
          readonly definition: readonly { readonly caip19: string; readonly decimals: string }[]
          readonly filter?: { readonly activity?: readonly { readonly activityType: string }[] }
          readonly phase?: {
            readonly signature?: Readonly<Record<string, never>>
            readonly submission?: Readonly<Record<string, never>>
          }
        }
        readonly activityExecution?: {
          readonly filter?: { readonly activity?: readonly { readonly activityType: string }[] }
          readonly unit?: 'VELOCITY_CONTROL_UNIT_ACTIVITY' | 'VELOCITY_CONTROL_UNIT_SIGNATURE'
        }
      }
      readonly aggregation: {
        readonly method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM' | 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT'
        readonly operator:
          | 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN'
          | 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL'
          | 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_EQUAL'
          | 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN_OR_EQUAL'
          | 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN'
        readonly threshold: string
        readonly window: {
          readonly rolling?: { readonly duration: string }
          readonly infinite?: Readonly<Record<string, never>>
        }
        readonly groupBy: {
          readonly organization?: Readonly<Record<string, never>>
          readonly user?: Readonly<Record<string, never>>
          readonly wallet?: Readonly<Record<string, never>>
        }
      }
      readonly identifier: string
    }
    result: { readonly velocityControlId: string }
  }
  delete_velocity_control: {
    parameters: { readonly velocityControlId: string }
    result: { readonly velocityControlId: string }
  }
  create_wallet: {
    parameters: {
      readonly walletName: string
      readonly accounts: readonly {
        readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256'
        readonly pathFormat: 'PATH_FORMAT_BIP32'
        readonly path: string
        readonly addressFormat:
          | 'ADDRESS_FORMAT_UNCOMPRESSED'
          | 'ADDRESS_FORMAT_COMPRESSED'
          | 'ADDRESS_FORMAT_ETHEREUM'
          | 'ADDRESS_FORMAT_SOLANA'
          | 'ADDRESS_FORMAT_COSMOS'
          | 'ADDRESS_FORMAT_TRON'
          | 'ADDRESS_FORMAT_SUI'
          | 'ADDRESS_FORMAT_APTOS'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR'
          | 'ADDRESS_FORMAT_SEI'
          | 'ADDRESS_FORMAT_XLM'
          | 'ADDRESS_FORMAT_DOGE_MAINNET'
          | 'ADDRESS_FORMAT_DOGE_TESTNET'
          | 'ADDRESS_FORMAT_TON_V3R2'
          | 'ADDRESS_FORMAT_TON_V4R2'
          | 'ADDRESS_FORMAT_TON_V5R1'
          | 'ADDRESS_FORMAT_XRP'
          | 'ADDRESS_FORMAT_SPARK_MAINNET'
          | 'ADDRESS_FORMAT_SPARK_REGTEST'
        readonly name?: string
      }[]
      readonly mnemonicLength?: 12 | 15 | 18 | 21 | 24
    }
    result: { readonly walletId: string; readonly addresses: readonly string[] }
  }
  create_wallet_accounts: {
    parameters: {
      readonly walletId: string
      readonly accounts: readonly {
        readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256'
        readonly pathFormat: 'PATH_FORMAT_BIP32'
        readonly path: string
        readonly addressFormat:
          | 'ADDRESS_FORMAT_UNCOMPRESSED'
          | 'ADDRESS_FORMAT_COMPRESSED'
          | 'ADDRESS_FORMAT_ETHEREUM'
          | 'ADDRESS_FORMAT_SOLANA'
          | 'ADDRESS_FORMAT_COSMOS'
          | 'ADDRESS_FORMAT_TRON'
          | 'ADDRESS_FORMAT_SUI'
          | 'ADDRESS_FORMAT_APTOS'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR'
          | 'ADDRESS_FORMAT_SEI'
          | 'ADDRESS_FORMAT_XLM'
          | 'ADDRESS_FORMAT_DOGE_MAINNET'
          | 'ADDRESS_FORMAT_DOGE_TESTNET'
          | 'ADDRESS_FORMAT_TON_V3R2'
          | 'ADDRESS_FORMAT_TON_V4R2'
          | 'ADDRESS_FORMAT_TON_V5R1'
          | 'ADDRESS_FORMAT_XRP'
          | 'ADDRESS_FORMAT_SPARK_MAINNET'
          | 'ADDRESS_FORMAT_SPARK_REGTEST'
        readonly name?: string
      }[]
      readonly persist?: boolean
    }
    result: { readonly addresses: readonly string[] }
  }
  delete_wallet_accounts: {
    parameters: { readonly walletAccountIds: readonly string[]; readonly deleteWithoutExport?: boolean }
    result: { readonly walletAccountIds: readonly string[] }
  }
  delete_wallets: {
    parameters: { readonly walletIds: readonly string[]; readonly deleteWithoutExport?: boolean }
    result: { readonly walletIds: readonly string[] }
  }
  export_wallet: {
    parameters: {
      readonly walletId: string
      readonly targetPublicKey: string
      readonly language?:
        | 'MNEMONIC_LANGUAGE_ENGLISH'
        | 'MNEMONIC_LANGUAGE_SIMPLIFIED_CHINESE'
        | 'MNEMONIC_LANGUAGE_TRADITIONAL_CHINESE'
        | 'MNEMONIC_LANGUAGE_CZECH'
        | 'MNEMONIC_LANGUAGE_FRENCH'
        | 'MNEMONIC_LANGUAGE_ITALIAN'
        | 'MNEMONIC_LANGUAGE_JAPANESE'
        | 'MNEMONIC_LANGUAGE_KOREAN'
        | 'MNEMONIC_LANGUAGE_SPANISH'
    }
    result: { readonly walletId: string; readonly exportBundle: string }
  }
  export_wallet_account: {
    parameters: { readonly address: string; readonly targetPublicKey: string }
    result: { readonly address: string; readonly exportBundle: string }
  }
  import_wallet: {
    parameters: {
      readonly userId: string
      readonly walletName: string
      readonly encryptedBundle: string
      readonly accounts: readonly {
        readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256'
        readonly pathFormat: 'PATH_FORMAT_BIP32'
        readonly path: string
        readonly addressFormat:
          | 'ADDRESS_FORMAT_UNCOMPRESSED'
          | 'ADDRESS_FORMAT_COMPRESSED'
          | 'ADDRESS_FORMAT_ETHEREUM'
          | 'ADDRESS_FORMAT_SOLANA'
          | 'ADDRESS_FORMAT_COSMOS'
          | 'ADDRESS_FORMAT_TRON'
          | 'ADDRESS_FORMAT_SUI'
          | 'ADDRESS_FORMAT_APTOS'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH'
          | 'ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR'
          | 'ADDRESS_FORMAT_SEI'
          | 'ADDRESS_FORMAT_XLM'
          | 'ADDRESS_FORMAT_DOGE_MAINNET'
          | 'ADDRESS_FORMAT_DOGE_TESTNET'
          | 'ADDRESS_FORMAT_TON_V3R2'
          | 'ADDRESS_FORMAT_TON_V4R2'
          | 'ADDRESS_FORMAT_TON_V5R1'
          | 'ADDRESS_FORMAT_XRP'
          | 'ADDRESS_FORMAT_SPARK_MAINNET'
          | 'ADDRESS_FORMAT_SPARK_REGTEST'
        readonly name?: string
      }[]
    }
    result: { readonly walletId: string; readonly addresses: readonly string[] }
  }
  init_import_wallet: { parameters: { readonly userId: string }; result: { readonly importBundle: string } }
  update_wallet: {
    parameters: { readonly walletId: string; readonly walletName?: string }
    result: { readonly walletId: string }
  }
  create_webhook_endpoint: {
    parameters: {
      readonly url: string
      readonly name: string
      readonly subscriptions?: readonly {
        readonly eventType:
          | 'ACTIVITY_UPDATES'
          | 'BALANCE_CONFIRMED_UPDATES'
          | 'BALANCE_FINALIZED_UPDATES'
          | 'SEND_TRANSACTION_STATUS_UPDATES'
        readonly filtersJson?: string
        readonly isActive?: boolean
      }[]
    }
    result: {
      readonly endpointId: string
      readonly webhookEndpoint: {
        readonly endpointId: string
        readonly organizationId: string
        readonly url: string
        readonly name: string
        readonly isActive: boolean
        readonly subscriptions: readonly {
          readonly eventType: string
          readonly filtersJson?: string
          readonly isActive?: boolean
        }[]
      }
    }
  }
  delete_webhook_endpoint: { parameters: { readonly endpointId: string }; result: { readonly endpointId: string } }
  replay_webhook_delivery: {
    parameters: { readonly endpointId: string; readonly deliveryId: string }
    result: { readonly deliveryId: string }
  }
  update_webhook_endpoint: {
    parameters: {
      readonly endpointId: string
      readonly url?: string
      readonly name?: string
      readonly isActive?: boolean
    }
    result: {
      readonly endpointId: string
      readonly webhookEndpoint: {
        readonly endpointId: string
        readonly organizationId: string
        readonly url: string
        readonly name: string
        readonly isActive: boolean
        readonly subscriptions: readonly {
          readonly eventType: string
          readonly filtersJson?: string
          readonly isActive?: boolean
        }[]
      }
    }
  }
}

export const activityTypes: { readonly [N in keyof Activities]: string } = {
  approve_activity: 'ACTIVITY_TYPE_APPROVE_ACTIVITY',
  reject_activity: 'ACTIVITY_TYPE_REJECT_ACTIVITY',
  create_api_keys: 'ACTIVITY_TYPE_CREATE_API_KEYS_V2',
  delete_api_keys: 'ACTIVITY_TYPE_DELETE_API_KEYS',
  disable_auth_proxy: 'ACTIVITY_TYPE_DISABLE_AUTH_PROXY',
  enable_auth_proxy: 'ACTIVITY_TYPE_ENABLE_AUTH_PROXY',
  update_auth_proxy_config: 'ACTIVITY_TYPE_UPDATE_AUTH_PROXY_CONFIG',
  create_authenticators: 'ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2',
  delete_authenticators: 'ACTIVITY_TYPE_DELETE_AUTHENTICATORS',
  remove_organization_feature: 'ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE',
  set_organization_feature: 'ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE',
  create_fiat_on_ramp_credential: 'ACTIVITY_TYPE_CREATE_FIAT_ON_RAMP_CREDENTIAL',
  delete_fiat_on_ramp_credential: 'ACTIVITY_TYPE_DELETE_FIAT_ON_RAMP_CREDENTIAL',
  update_fiat_on_ramp_credential: 'ACTIVITY_TYPE_UPDATE_FIAT_ON_RAMP_CREDENTIAL',
  accept_invitation: 'ACTIVITY_TYPE_ACCEPT_INVITATION_V2',
  create_invitations: 'ACTIVITY_TYPE_CREATE_INVITATIONS',
  delete_invitation: 'ACTIVITY_TYPE_DELETE_INVITATION',
  remove_ip_allowlist: 'ACTIVITY_TYPE_REMOVE_IP_ALLOWLIST',
  set_ip_allowlist: 'ACTIVITY_TYPE_SET_IP_ALLOWLIST',
  create_mfa_policy: 'ACTIVITY_TYPE_CREATE_MFA_POLICY',
  delete_mfa_policy: 'ACTIVITY_TYPE_DELETE_MFA_POLICY',
  update_mfa_policy: 'ACTIVITY_TYPE_UPDATE_MFA_POLICY',
  create_oauth2_credential: 'ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL',
  delete_oauth2_credential: 'ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL',
  oauth2_authenticate: 'ACTIVITY_TYPE_OAUTH2_AUTHENTICATE',
  update_oauth2_credential: 'ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL',
  create_oauth_providers: 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2',
  delete_oauth_providers: 'ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS',
  update_organization_name: 'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME',
  update_root_quorum: 'ACTIVITY_TYPE_UPDATE_ROOT_QUORUM',
  create_policies: 'ACTIVITY_TYPE_CREATE_POLICIES',
  create_policy: 'ACTIVITY_TYPE_CREATE_POLICY_V3',
  delete_policies: 'ACTIVITY_TYPE_DELETE_POLICIES',
  delete_policy: 'ACTIVITY_TYPE_DELETE_POLICY',
  update_policy: 'ACTIVITY_TYPE_UPDATE_POLICY_V2',
  create_private_key_tag: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG',
  delete_private_key_tags: 'ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS',
  update_private_key_tag: 'ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG',
  create_private_keys: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2',
  delete_private_keys: 'ACTIVITY_TYPE_DELETE_PRIVATE_KEYS',
  export_private_key: 'ACTIVITY_TYPE_EXPORT_PRIVATE_KEY',
  import_private_key: 'ACTIVITY_TYPE_IMPORT_PRIVATE_KEY',
  init_import_private_key: 'ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY',
  create_passkey_link: 'ACTIVITY_TYPE_CREATE_PASSKEY_LINK',
  init_user_email_recovery: 'ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2',
  recover_user: 'ACTIVITY_TYPE_RECOVER_USER',
  create_session_profile: 'ACTIVITY_TYPE_CREATE_SESSION_PROFILE',
  init_otp: 'ACTIVITY_TYPE_INIT_OTP_V3',
  oauth_login: 'ACTIVITY_TYPE_OAUTH_LOGIN',
  otp_login: 'ACTIVITY_TYPE_OTP_LOGIN_V2',
  stamp_login: 'ACTIVITY_TYPE_STAMP_LOGIN',
  verify_otp: 'ACTIVITY_TYPE_VERIFY_OTP_V2',
  sign_raw_payload: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
  sign_raw_payloads: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS',
  sign_transaction: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
  create_smart_contract_interface: 'ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE',
  delete_smart_contract_interface: 'ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE',
  spark_prepare_lightning_receive: 'ACTIVITY_TYPE_SPARK_PREPARE_LIGHTNING_RECEIVE',
  create_sub_organization: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8',
  delete_sub_organization: 'ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION',
  create_tvc_app: 'ACTIVITY_TYPE_CREATE_TVC_APP',
  create_tvc_deployment: 'ACTIVITY_TYPE_CREATE_TVC_DEPLOYMENT',
  create_tvc_manifest_approvals: 'ACTIVITY_TYPE_CREATE_TVC_MANIFEST_APPROVALS',
  delete_tvc_app_and_deployments: 'ACTIVITY_TYPE_DELETE_TVC_APP_AND_DEPLOYMENTS',
  delete_tvc_deployment: 'ACTIVITY_TYPE_DELETE_TVC_DEPLOYMENT',
  restore_tvc_deployment: 'ACTIVITY_TYPE_RESTORE_TVC_DEPLOYMENT',
  set_tvc_app_live_deployment: 'ACTIVITY_TYPE_UPDATE_TVC_APP_LIVE_DEPLOYMENT',
  create_user_tag: 'ACTIVITY_TYPE_CREATE_USER_TAG',
  delete_user_tags: 'ACTIVITY_TYPE_DELETE_USER_TAGS',
  update_user_tag: 'ACTIVITY_TYPE_UPDATE_USER_TAG',
  create_api_only_users: 'ACTIVITY_TYPE_CREATE_API_ONLY_USERS',
  create_users: 'ACTIVITY_TYPE_CREATE_USERS_V4',
  delete_users: 'ACTIVITY_TYPE_DELETE_USERS',
  set_notice_preferences: 'ACTIVITY_TYPE_SET_NOTICE_PREFERENCES',
  update_user: 'ACTIVITY_TYPE_UPDATE_USER',
  update_user_email: 'ACTIVITY_TYPE_UPDATE_USER_EMAIL',
  update_user_name: 'ACTIVITY_TYPE_UPDATE_USER_NAME',
  update_user_phone_number: 'ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER',
  create_velocity_control: 'ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL',
  delete_velocity_control: 'ACTIVITY_TYPE_DELETE_VELOCITY_CONTROL',
  create_wallet: 'ACTIVITY_TYPE_CREATE_WALLET',
  create_wallet_accounts: 'ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS',
  delete_wallet_accounts: 'ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS',
  delete_wallets: 'ACTIVITY_TYPE_DELETE_WALLETS',
  export_wallet: 'ACTIVITY_TYPE_EXPORT_WALLET',
  export_wallet_account: 'ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT',
  import_wallet: 'ACTIVITY_TYPE_IMPORT_WALLET',
  init_import_wallet: 'ACTIVITY_TYPE_INIT_IMPORT_WALLET',
  update_wallet: 'ACTIVITY_TYPE_UPDATE_WALLET',
  create_webhook_endpoint: 'ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT',
  delete_webhook_endpoint: 'ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT',
  replay_webhook_delivery: 'ACTIVITY_TYPE_REPLAY_WEBHOOK_DELIVERY',
  update_webhook_endpoint: 'ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT',
}

/** The activities by which nobody loses or gains anything (`isEveryday`). */
export const everydayActivities: ReadonlySet<keyof Activities> = new Set<keyof Activities>([
  'create_private_keys',
  'import_private_key',
  'init_import_private_key',
  'set_notice_preferences',
  'create_wallet',
  'create_wallet_accounts',
  'import_wallet',
  'init_import_wallet',
  'replay_webhook_delivery',
])
