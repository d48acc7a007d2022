import type { Texts } from '../types.ts'

export const login: Texts['login'] = {
  title: 'Anmelden',
  intro: 'Ihr Browser unterschreibt, worum Sie bitten. Kein Passwort verlässt diese Seite.',
  byPasskey: 'Passkey',
  byApiKey: 'API-Schlüssel',
  organization: 'Organisation',
  findByPasskey: 'Am Passkey erkennen',
  otherOrganization: 'Andere Organisation',
  organizationId: 'ID der Organisation',
  sessionLength: 'Angemeldet bleiben',
  lengths: { quarter: '15 Minuten', hour: '1 Stunde', workday: '8 Stunden' },
  continueWithPasskey: 'Weiter mit Passkey',
  twoTouches: 'Der Passkey wird zweimal verlangt: einmal, um die Organisation zu finden, einmal zur Anmeldung.',
  insecure: (host) => `Passkeys brauchen https oder den Namen localhost. Diese Seite wurde als ${host} geöffnet.`,
  openAsLocalhost: 'Diese Seite als localhost öffnen',
  credentialsFile: 'credentials.json auswählen',
  credentialsHint:
    'Der Schlüssel wird so importiert, dass nichts ihn wieder lesen kann. Die Datei selbst wird weder behalten noch gesendet.',
  orPaste: 'oder eintippen',
  privateKey: 'Privater Teil des API-Schlüssels',
  privateKeyHint: '64 Hexadezimalziffern',
  continueWithKey: 'Mit API-Schlüssel anmelden',
  ended: {
    loggedOut: 'Sie sind abgemeldet. Der Schlüssel der Sitzung ist in diesem Browser gelöscht.',
    expired: 'Ihre Sitzung ist zu Ende. Melden Sie sich wieder an, um fortzufahren.',
    refused: 'Der Server nimmt diese Sitzung nicht mehr an.',
  },
  problems: {
    passkeyNamesNoOrganization:
      'Dieser Passkey sagt nicht, zu welcher Organisation er gehört. Geben Sie die ID der Organisation ein.',
    noCredentials: 'Das ist keine credentials.json: Sie muss organizationId und apiPrivateKey haben.',
    noPrivateKey: 'Der private Schlüssel muss 64 Hexadezimalziffern haben.',
    noOrganization: 'Die ID der Organisation muss eine UUID sein.',
  },
  forget: 'Die in diesem Browser benutzten Organisationen vergessen',
}
