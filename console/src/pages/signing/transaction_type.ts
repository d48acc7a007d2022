/** The type of the transactions that an address signs, by its format. `undefined`: the server reads none of that chain. */
export function transactionTypeOf(addressFormat: string) {
  if (addressFormat === 'ADDRESS_FORMAT_ETHEREUM') return 'TRANSACTION_TYPE_ETHEREUM'
  if (addressFormat === 'ADDRESS_FORMAT_SOLANA') return 'TRANSACTION_TYPE_SOLANA'
  if (addressFormat === 'ADDRESS_FORMAT_TRON') return 'TRANSACTION_TYPE_TRON'
  return addressFormat.startsWith('ADDRESS_FORMAT_BITCOIN_') ? 'TRANSACTION_TYPE_BITCOIN' : undefined
}
