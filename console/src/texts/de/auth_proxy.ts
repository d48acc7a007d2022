import type { Texts } from '../types.ts'

export const authProxy: Texts['authProxy'] = {
  title: 'Anmeldung per Mail oder Konto',
  about:
    'Benutzer melden sich mit einem Code aus einer Mail an, oder mit einem Konto bei einem Anbieter, bevor sie einen Passkey haben. Das Root-Quorum entscheidet darüber.',
  warning:
    'Wer die Mails eines Benutzers liest, kann sich dann als dieser anmelden. Geben Sie Benutzern, die Zahlungen zustimmen, eine MFA-Regel.',
  enable: 'Diese Anmeldungen erlauben',
  change: 'Diese Anmeldungen ändern',
  disable: 'Diese Anmeldungen beenden',
  disableWarning:
    'Niemand kann sich dann mehr so anmelden. Offene Sitzungen laufen weiter, bis sie enden, und ändern keine Zugänge mehr.',
  link: 'Link zur Anmeldung',
  appName: 'Name in Mails',
  pages: 'Seiten',
  pagesHint: 'Die Origins der Seiten, die fragen dürfen, je eine Zeile, etwa https://app.example.com.',
  issuers: 'Anbieter',
  issuersHint: (url) =>
    `Je eine Zeile: Name, Aussteller, Client-ID und Adresse der Anmeldeseite, mit Leerzeichen dazwischen. Der Client muss die Rückkehr nach ${url} und den impliziten Ablauf mit ID-Token erlauben.`,
  lasting: 'Sitzungen dürfen Zugänge, Benutzer und Regeln ändern und Schlüssel exportieren',
  lastingHint:
    'Ohne das legt eine Sitzung nur Schlüssel an, löscht sie und signiert, bis sie endet. Mit ihm können Benutzer nach einem Code einen Passkey hinzufügen, und das kann auch, wer ihre Mails liest.',
  forApps: 'Auch für Apps mit den Kits der Client-Pakete',
}
