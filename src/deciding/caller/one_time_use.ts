import type { Operation } from '../../contract/define.ts'
import { recoveryCredentialType } from '../../contract/records/records.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { Proof } from './credential_stamps.ts'

/**
 * Refuses other uses of a one-time credential. It came by mail or as a link, so it neither reads, nor votes, nor signs.
 */
export function requireOneTimeUse(
  { credentialType, isInvited }: Partial<Pick<Proof, 'credentialType'>> & { readonly isInvited: boolean },
  { name }: Pick<Operation, 'name'>,
): void {
  if (name === 'whoami') return
  if (isInvited && name !== 'accept_invitation') {
    throw new Failure('FORBIDDEN', 'the link of an invitation is for accept_invitation only')
  }
  if (!isInvited && credentialType === recoveryCredentialType && name !== 'recover_user') {
    throw new Failure('FORBIDDEN', 'a recovery credential is for recover_user only')
  }
}
