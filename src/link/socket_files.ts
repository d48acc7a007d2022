/** The operator's sockets, in the data folder: of the service, and of the vault. */
export const adminSocketFile = 'admin.sock'
export const vaultSocketFile = 'vault.sock'
