import { createHash, timingSafeEqual } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { type ActivityContext, defineActivity, olderType } from '../../contract/define.ts'
import { BearerToken } from '../../contract/fields/bearer_token.ts'
import { EncryptedBundle, fields, idText, optional, TokenSeconds } from '../../contract/fields/fields.ts'
import { all, maybe } from '../../contract/needs.ts'
import { requireOnSince } from '../../contract/records/features.ts'
import type { PasscodeFlow } from '../../contract/records/records.ts'
import { RefusalWithChanges } from '../../contract/records/refusal_with_changes.ts'
import { openEncryptedBundle, parseEncryptedBundle } from '../../protocol/bundles/bundles.ts'
import { compressedP256, p256Point } from '../../protocol/crypto/p256.ts'
import type { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { Failure, fieldInvalid, fieldRefused } from '../../protocol/wire/failures.ts'
import { passcodeSwitches } from '../../protocol/wire/feature_names.ts'
import { parseBody } from '../../protocol/wire/json.ts'
import { partsOfPasscodeSecret } from './shared/passcode_secret.ts'
import { isOfClosedProxy } from './shared/verification_tokens.ts'

const secondsDefault = '3600'
const passcodeCharactersMax = 64

const OtpId = idText({ maxLength: 256, expected: 'the otpId of an init_otp' })
const newest = fields({ otpId: OtpId, encryptedOtpBundle: EncryptedBundle, expirationSeconds: optional(TokenSeconds) })
const older = fields({
  otpId: OtpId,
  otpCode: Type.String({ minLength: 1, maxLength: passcodeCharactersMax, expected: 'the passcode' }),
  expirationSeconds: optional(TokenSeconds),
  publicKey: optional(Type.String({ maxLength: 130, expected: 'a public key of P-256 in hex' })),
})
type Parameters = Static<typeof newest> | Static<typeof older>

export default defineActivity({
  name: 'verify_otp',
  summary: 'Checks a passcode, and returns a token which proves that the client receives what is sent to the contact.',
  type: 'ACTIVITY_TYPE_VERIFY_OTP_V2',
  resultKey: 'verifyOtpResult',
  policy: { resource: 'OTP', action: 'VERIFY' },
  parameters: Type.Unsafe<Parameters>(newest),
  result: Type.Object({ verificationToken: BearerToken }),
  versions: [
    olderType({
      type: 'ACTIVITY_TYPE_VERIFY_OTP',
      parameters: older,
      upgrade: (given): Parameters => given,
    }),
  ],
  openToParent: true,
  check: (parameters) => {
    if ('encryptedOtpBundle' in parameters) {
      parseEncryptedBundle(parameters.encryptedOtpBundle, 'parameters.encryptedOtpBundle')
    } else if (parameters.publicKey !== undefined) publicKeyOf(parameters.publicKey, 'parameters.publicKey')
  },
  needs: ({ otpId }) => [all('feature'), maybe('passcode_flow', otpId), all('auth_proxy')],

  run(context) {
    const { organization, parameters, caller, keys, nowMs, newId } = context
    const flow = organization.passcodeFlows.find(parameters.otpId)
    if (flow === undefined) {
      throw new Failure('NOT_FOUND', { fieldPath: 'parameters.otpId', expected: 'the otpId of an init_otp' })
    }
    requireOnSince(organization.features.all(), passcodeSwitches[flow.otpType], flow.createdAtMs)
    // The auth proxy takes no code from before it was closed, as none of its tokens from then counts.
    const isClosed = caller.isUnstamped && isOfClosedProxy(flow.createdAtMs, organization.authProxies.all()[0])
    // One answer for all four: it hides the reason, and a new passcode is the remedy for each.
    if (isClosed || flow.isUsed || flow.attemptsLeft < 1 || nowMs >= flow.expiresAtMs) {
      throw new Failure('PASSCODE_INVALID')
    }
    const { isRight, publicKey } = compare(flow, context)
    if (!isRight) {
      // The books count the attempt besides, when the secret is opened (`counted_kinds.ts`).
      organization.passcodeFlows.put({ ...flow, attemptsLeft: flow.attemptsLeft - 1 })
      throw new RefusalWithChanges(new Failure('PASSCODE_INVALID'))
    }
    organization.passcodeFlows.put({ ...flow, isUsed: true })
    const { otpType: verificationType, contact } = flow
    const verificationToken = keys.verificationToken({
      id: newId(),
      organizationId: organization.organizationId,
      verificationType,
      contact,
      ...(publicKey === undefined ? {} : { publicKey }),
      ...(caller.isUnstamped === undefined ? {} : { ofAuthProxyAtMs: nowMs }),
      codeSentAtMs: flow.createdAtMs,
      expiresAtMs: nowMs + Number(parameters.expirationSeconds ?? secondsDefault) * 1_000,
    })
    return { verificationToken }
  },
})

/** Whether the passcode is the one that was sent, and the client's key if the request has one. */
function compare(
  { otpId }: PasscodeFlow,
  { parameters, keys }: Pick<ActivityContext<Parameters>, 'parameters' | 'keys'>,
): { readonly isRight: boolean; readonly publicKey: string | undefined } {
  using secret = keys.secretOf('passcode_flow', otpId)
  using parts = partsOfPasscodeSecret(secret)
  const passcode = parts.passcode.reveal()
  if ('otpCode' in parameters) {
    const publicKey = parameters.publicKey && publicKeyOf(parameters.publicKey, 'parameters.publicKey')
    return { isRight: isSame(parameters.otpCode, passcode), publicKey }
  }
  const fieldPath = 'parameters.encryptedOtpBundle'
  const receiverSecret = parts.targetSecret
  using opened = openEncryptedBundle({ text: parameters.encryptedOtpBundle, receiverSecret, fieldPath })
  const { otp_code: typed, public_key: key, ...others } = objectIn(opened, fieldPath)
  if (typeof typed !== 'string' || typeof key !== 'string' || Object.keys(others).length > 0) {
    throw fieldRefused(fieldPath, 'its plaintext must be JSON with otp_code and public_key')
  }
  return { isRight: isSame(typed, passcode), publicKey: publicKeyOf(key, fieldPath) }
}

/** Compares digests, in constant time. People mistake letters for digits and upper case for lower case. */
function isSame(typed: string, passcode: Uint8Array): boolean {
  const normal = typed.trim().toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return timingSafeEqual(createHash('sha256').update(normal).digest(), createHash('sha256').update(passcode).digest())
}

function publicKeyOf(text: string, fieldPath: string): string {
  const point = /^([0-9a-f]{2})+$/i.test(text) ? p256Point(Buffer.from(text, 'hex')) : undefined
  if (point === undefined) throw fieldInvalid(fieldPath, 'a public key of P-256 in hex')
  return Buffer.from(compressedP256(point)).toString('hex')
}

function objectIn(opened: SecretBytes, fieldPath: string) {
  try {
    return parseBody(opened.reveal())
  } catch (cause) {
    throw new Failure('FIELD_INVALID', {
      fieldPath,
      reason: 'its plaintext must be JSON with otp_code and public_key',
      cause,
    })
  }
}
