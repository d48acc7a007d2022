import type { Texts } from '../types.ts'

export const secrets: Texts['secrets'] = {
  export: 'Exportieren',
  exportTitle: (name) => `${name} exportieren`,
  exportWarning:
    'Wer dieses Geheimnis sieht, kann alles bewegen, was dazu gehört, von jedem Gerät und an jeder Regel dieser Organisation vorbei. Sorgen Sie dafür, dass niemand zusieht.',
  exportHow:
    'Der Tresor verschlüsselt das Geheimnis für einen Schlüssel dieses Browsers. Der Server kann es nicht lesen.',
  waits:
    'Der Export wartet auf Zustimmungen. Öffnen Sie danach seinen Vorgang in diesem Browser, bevor Sie sich abmelden, und drücken Sie „Geheimnis zeigen“.',
  openActivity: 'Vorgang öffnen',
  showSecret: 'Geheimnis zeigen',
  hideSecret: 'Geheimnis verbergen',
  mnemonic: 'Wiederherstellungsphrase',
  passphrase: 'Passphrase',
  privateKey: 'Privater Schlüssel',
  keyLost: 'Dieser Browser hat den Schlüssel für diesen Export nicht mehr. Fordern Sie den Export neu an.',
  bundleRefused:
    'Was der Server geschickt hat, ist nicht das, was der Tresor für diesen Browser gemacht hat. Es wurde nicht geöffnet.',
  secretOf: (what) => `${what}, geheim`,
  importWallet: 'Wallet importieren',
  importKey: 'Privaten Schlüssel importieren',
  importHow: 'Diese Seite verschlüsselt das Geheimnis für einen Schlüssel des Tresors. Der Server sieht es nie.',
  phrase: 'Wiederherstellungsphrase, 12 bis 24 englische Wörter',
  phraseInvalid: 'Eine Wiederherstellungsphrase hat 12, 15, 18, 21 oder 24 Wörter.',
  key: 'Privater Schlüssel, 64 hexadezimale Ziffern',
  keyInvalid: 'Ein privater Schlüssel hat 64 hexadezimale Ziffern, mit oder ohne 0x.',
  importWaits:
    'Dem Import fehlt noch eine Zustimmung. Bitten Sie um eine Regel, die Ihnen den Import erlaubt, und versuchen Sie es dann erneut.',
}
