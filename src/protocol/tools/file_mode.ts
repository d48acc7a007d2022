type Status = { readonly mode: number; readonly uid: number; readonly gid: number }

/**
 * Whether another user than its owner, and than root, may open a file. `readerUid` is the user of this process.
 *
 * The list of access rights by which systemd gives a credential to a unit shows as rights of the group, which is root's.
 */
export function isOpenToOthers({ mode, uid, gid }: Status, readerUid: number | undefined): boolean {
  const isCredential = uid === 0 && gid === 0 && readerUid !== 0
  return (mode & (isCredential ? 0o037 : 0o077)) !== 0
}
