import type { Texts } from '../types.ts'

export const keys: Texts['keys'] = {
  title: 'Private Schlüssel',
  about: 'Einzelne Schlüssel im Vault, jeder für sich und ohne Seed.',
  back: 'Alle privaten Schlüssel',
  create: 'Neuer privater Schlüssel',
  name: 'Name des Schlüssels',
  emptyTitle: 'Keine privaten Schlüssel',
  emptyText: 'Die meisten brauchen Wallets. Ein privater Schlüssel steht allein, etwa ein importierter.',
  publicKey: 'Öffentlicher Schlüssel',
  addresses: 'Adressen',
  noAddresses: 'Dieser Schlüssel hat keine Adresse.',
  delete: 'Privaten Schlüssel löschen',
  deleteWarning:
    'Der Schlüssel ist dann endgültig verloren, und was auf seinen Adressen liegt, lässt sich von hier nicht mehr bewegen.',
  chain: 'Chain',
  chains: {
    ethereum: 'Ethereum',
    bitcoin: 'Bitcoin (Taproot)',
    bitcoinSegwit: 'Bitcoin (SegWit)',
    solana: 'Solana',
    tron: 'Tron',
  },
  derive: 'Konto ableiten',
  pathHint: 'Der nächste freie Pfad der Chain. Behalten Sie ihn, wenn Sie keinen Grund für einen anderen haben.',
  accountName: 'Name des Kontos, falls nötig',
  qr: 'QR-Code',
  qrOf: (address) => `QR-Code von ${address}`,
  sign: 'Nachricht unterschreiben',
  signNow: 'Unterschreiben',
  message: 'Nachricht',
  signature: 'Signatur',
  forms: {
    eip191: 'Unterschrieben wie von Wallets für Ethereum (EIP-191), also nie als Transaktion.',
    plain: 'Die Bytes des Textes werden unverändert mit Ed25519 unterschrieben.',
    sha256: 'Der SHA-256 des Textes wird unterschrieben. Die Signatur ist r und s, 64 Bytes.',
  },
}
