import Type, { type Static } from 'typebox'
import { defineActivity, olderType } from '../../contract/define.ts'
import { contactInToken } from '../../contract/explanation/stated_credentials.ts'
import { BearerToken } from '../../contract/fields/bearer_token.ts'
import { fields, optional } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import { codeSentAtMsOf } from '../../contract/records/contact_times.ts'
import { requireOnSince } from '../../contract/records/features.ts'
import { unverifiedContact } from '../../protocol/tokens/tokens.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { passcodeSwitches } from '../../protocol/wire/feature_names.ts'
import { isJsonObject } from '../../protocol/wire/json.ts'
import { ClientSignature, readClientSignature } from '../sub_organizations/shared/client_signatures.ts'
import { loginContent } from './shared/login_explanation.ts'
import { addSession, checkSession, sessionParameters, sessionReads } from './shared/new_sessions.ts'
import {
  contactLookup,
  contactReads,
  tokenReads,
  userOfContact,
  useToken,
  VerificationToken,
} from './shared/verification_tokens.ts'

const newest = fields({ verificationToken: VerificationToken, ...sessionParameters, clientSignature: ClientSignature })
const older = fields({
  verificationToken: VerificationToken,
  ...sessionParameters,
  clientSignature: optional(ClientSignature),
})
type Parameters = Static<typeof newest> | Static<typeof older>

export default defineActivity({
  name: 'otp_login',
  summary: 'Logs in the user who has the contact in a verification token.',
  type: 'ACTIVITY_TYPE_OTP_LOGIN_V2',
  resultKey: 'otpLoginResult',
  policy: { resource: 'AUTH', action: 'CREATE' },
  logsIn: true,
  parameters: Type.Unsafe<Parameters>(newest),
  result: Type.Object({ session: BearerToken }),
  versions: [
    olderType({
      type: 'ACTIVITY_TYPE_OTP_LOGIN',
      parameters: older,
      upgrade: (given): Parameters => given,
    }),
  ],
  openToParent: true,
  check: checkSession,
  needs: (parameters) => {
    const { verificationToken } = parameters
    const contact = unverifiedContact(verificationToken)
    return [
      all('feature'),
      ...sessionReads(parameters),
      ...tokenReads(verificationToken),
      ...(contact === undefined ? [] : [contactReads(contact)]),
    ]
  },

  explain(context) {
    const { verificationToken } = context.parameters
    const contact = unverifiedContact(verificationToken)
    const found = contact && contactLookup(contact)
    return loginContent(
      {
        ...{ code: 'otp_login', schema: newest, by: contactInToken(verificationToken) },
        find: (organization) => (found === undefined ? [] : organization.found('user', found.lookup, found.key)),
      },
      context,
    )
  },

  run({ parameters, ...context }) {
    const { organization } = context
    const token = useToken(parameters.verificationToken, context)
    requireClient(parameters, token)
    requireOnSince(organization.features.all(), passcodeSwitches[token.verificationType], codeSentAtMsOf(token))
    const user = userOfContact(token, organization)
    const login =
      token.ofAuthProxyAtMs === undefined ? context.login : { ...context.login, isOfAuthProxy: true as const }
    // The token's key has signed for this login, see `requireClient`.
    const isKeyProved = token.publicKey?.toLowerCase() === parameters.publicKey
    const given = { ...parameters, codeSentTo: contactLookup(token).key, isKeyProved }
    return { session: addSession(user, given, { ...context, login }) }
  },
})

/** Requires a signature by the key in the token, which nobody else who has read the token has. */
function requireClient({ clientSignature, publicKey }: Parameters, token: { id: string; publicKey?: string }): void {
  if (token.publicKey === undefined && clientSignature === undefined) return
  if (token.publicKey === undefined || clientSignature === undefined) {
    throw fieldInvalid(
      'parameters.clientSignature',
      token.publicKey === undefined ? 'left out: the token names no key' : "a signature by the token's key",
    )
  }
  const place = { id: token.id, publicKey: token.publicKey, usage: 'USAGE_TYPE_LOGIN' } as const
  const { login = null } = readClientSignature(clientSignature, place)
  const signed = isJsonObject(login) ? login.publicKey : undefined
  if (typeof signed === 'string' && signed.toLowerCase() === publicKey) return
  throw fieldInvalid('parameters.clientSignature.message', 'JSON with parameters.publicKey as login.publicKey')
}
