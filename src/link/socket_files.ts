/** The operator's sockets of the service and of the vault, in the data folder. */
export const adminSocketFile = 'admin.sock'
export const vaultSocketFile = 'vault.sock'
