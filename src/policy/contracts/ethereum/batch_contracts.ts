/**
 * `MultiSend` and `MultiSendCallOnly` of Safe, which make the calls of a batch one by one and do nothing else. Safe{Wallet}
 * has each batch run by one of them. Their addresses come from their code (CREATE2), so no other code is there on any
 * chain. Source: https://github.com/safe-global/safe-deployments, in `src/assets` the files `multi_send.json` and
 * `multi_send_call_only.json` of each version.
 */
export const batchContracts: ReadonlySet<string> = new Set([
  // 1.3.0: canonical, eip155 and zksync.
  ...['0xa238cbeb142c10ef7ad8442c6d1f9e89e07e7761', '0x40a2accbd92bca938b02010e17a5b8929b49130d'],
  ...['0x998739bfdaadde7c933b942a68053933098f9eda', '0xa1dabef33b3b82c7814b6d82a79e50f4ac44102b'],
  ...['0x0dfcccb95225ffb03c6fbb2559b530c2b7c8a912', '0xf220d3b4dfb23c4ade8c88e526c1353abacbc38f'],
  // 1.4.1 and 1.5.0: canonical.
  ...['0x38869bf66a61cf6bdb996a6ae40d5853fd43b526', '0x9641d764fc13c8b624c04430c7356c1c7c8102e2'],
  ...['0x218543288004cd07832472d464648173c77d7eb7', '0xa83c336b20401af773b6219ba5027174338d1836'],
])

/**
 * Contracts that call whatever anybody asks for: those above and those of Safe 1.4.1 on ZKsync, `Multicall3` at its usual
 * address and at that of ZKsync, and the entry points 0.6 to 0.9 of ERC-4337.
 */
export const callAnything: ReadonlySet<string> = new Set([
  ...batchContracts,
  ...['0xca11bde05977b3631167028862be2a173976ca11', '0xf9cda624fbc7e059355ce98a31693d299facd963'],
  ...['0x309d0b190fecca8e1d5d8309a16f7e3cb133e885', '0x0408ef011960d02349d50286d20531229bcef773'],
  '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
  '0x433709009b8330fda32311df1c2afa402ed8d009',
])
