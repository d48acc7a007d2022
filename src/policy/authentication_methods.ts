/** The ways in which a user proves presence. The interface (MFA policies) defines which stamp proves which. */
export const authenticationTypes = [
  'AUTHENTICATION_TYPE_EMAIL_OTP',
  'AUTHENTICATION_TYPE_SMS_OTP',
  'AUTHENTICATION_TYPE_PASSKEY',
  'AUTHENTICATION_TYPE_API_KEY',
  'AUTHENTICATION_TYPE_OAUTH',
  'AUTHENTICATION_TYPE_SESSION',
] as const

/** `id` names one credential, or for a session the profile with which it was opened. Without it: any of that type. */
export type AuthenticationMethod = { readonly type: (typeof authenticationTypes)[number]; readonly id?: string }

/** One step. Any one of these methods satisfies it. */
export type AuthenticationStep = { readonly any: readonly AuthenticationMethod[] }

/** The profile of a session that was opened without one: it may read and write. */
export const defaultSessionProfileId = '00000000-0000-0000-0000-000000000000'
