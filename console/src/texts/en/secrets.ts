export const secrets = {
  export: 'Export',
  exportTitle: (name: string) => `Export ${name}`,
  exportWarning:
    'Whoever sees this secret can move everything that it controls, from any device and past every rule of this organization. Make sure that nobody looks on.',
  exportHow: 'The vault encrypts the secret to a key of this browser. The server cannot read it.',
  waits:
    'The export waits for approvals. Once it is completed, open its activity in this browser, before you log out, and press “Show the secret”.',
  openActivity: 'Open the activity',
  showSecret: 'Show the secret',
  hideSecret: 'Hide the secret',
  mnemonic: 'Recovery phrase',
  passphrase: 'Passphrase',
  privateKey: 'Private key',
  keyLost: 'This browser has no longer the key for this export. Ask for the export again.',
  bundleRefused: 'What the server sent is not what the vault made for this browser, so it was not opened.',
  secretOf: (what: string) => `${what}, secret`,
  importWallet: 'Import wallet',
  importKey: 'Import private key',
  importHow: 'This page encrypts the secret to a key of the vault. The server never sees it.',
  phrase: 'Recovery phrase, 12 to 24 English words',
  phraseInvalid: 'A recovery phrase has 12, 15, 18, 21 or 24 words.',
  key: 'Private key, 64 hexadecimal digits',
  keyInvalid: 'A private key has 64 hexadecimal digits, with or without 0x.',
  importWaits:
    'The import needs an approval that is still missing. Ask for a rule that lets you import, then try again.',
}
