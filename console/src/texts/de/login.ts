import type { Texts } from '../types.ts'

export const login: Texts['login'] = {
  title: 'Anmelden',
  intro: 'Ihr Browser unterschreibt, worum Sie bitten. Kein Passwort verlässt diese Seite.',
  byPasskey: 'Passkey',
  byApiKey: 'API-Schlüssel',
  byCode: 'Mail',
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
    loggedOutHere:
      'Der Schlüssel der Sitzung ist in diesem Browser gelöscht. Der Server hat die Sitzung nicht beendet: Sie läuft bis zu ihrer Zeit weiter, wenn sie niemand auf der Seite des Benutzers löscht.',
    expired: 'Ihre Sitzung ist zu Ende. Melden Sie sich wieder an, um fortzufahren.',
    refused: 'Der Server nimmt diese Sitzung nicht mehr an.',
  },
  problems: {
    passkeyNamesNoOrganization:
      'Dieser Passkey sagt nicht, zu welcher Organisation er gehört. Geben Sie die ID der Organisation ein.',
    passkeyOfOtherOrganization:
      'Dieser Passkey gehört zu einer anderen Organisation. Wählen Sie für diese „Am Passkey erkennen“ bei der Anmeldung.',
    passkeyOfOtherUser:
      'Dieser Passkey gehört einem anderen Benutzer, die Sitzung wurde nicht verlängert. Melden Sie sich zuerst ab.',
    noCredentials: 'Das ist keine credentials.json: Sie muss organizationId und apiPrivateKey haben.',
    noPrivateKey: 'Der private Schlüssel muss 64 Hexadezimalziffern haben.',
    noOrganization: 'Die ID der Organisation muss eine UUID sein.',
    issuerUnasked: 'Diese Anmeldung hat nicht in diesem Browser begonnen, oder vor zu langer Zeit. Beginnen Sie neu.',
    issuerRefused: 'Der Anbieter hat Sie nicht angemeldet.',
  },
  code: {
    into: 'Anmelden bei',
    needsOrganization: 'Öffnen Sie den Link Ihrer Organisation, oder geben Sie deren ID ein.',
    notEnabled: 'Diese Organisation bietet keine Anmeldung per Mail oder Konto an. Nehmen Sie einen Passkey.',
    mail: 'E-Mail-Adresse',
    code: 'Code',
    send: 'Code senden',
    sent: 'Falls die Adresse einem Benutzer gehört, ist eine Mail mit einem Code unterwegs.',
    again: 'Noch einen Code senden',
    enter: 'Anmelden',
    or: 'oder',
    continueWith: 'Weiter mit',
    leadsTo: (host) => `Das führt zu ${host}, und wieder hierher.`,
  },
  forget: 'Die in diesem Browser benutzten Organisationen vergessen',
}
