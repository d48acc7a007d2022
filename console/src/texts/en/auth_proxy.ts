/** Logins by a code in a mail, or at an issuer. */
export const authProxy = {
  title: 'Logins by mail or account',
  about:
    'Users log in with a code from a mail, or with an account at a provider, before they have a passkey. The root quorum decides about it.',
  warning:
    'A person who reads the mail of a user can then log in as that user. Give users who approve payments an MFA policy.',
  enable: 'Allow these logins',
  change: 'Change these logins',
  disable: 'End these logins',
  disableWarning:
    'Nobody can begin such a login any more. Sessions that are open go on until they end, and change no credentials any more.',
  link: 'Link to log in',
  appName: 'Name in mails',
  pages: 'Pages',
  pagesHint: 'The origins of pages that may ask, one in each line, such as https://app.example.com.',
  issuers: 'Providers',
  issuersHint: (url: string) =>
    `One in each line: name, issuer, client ID and the address of its login page, with blanks between them. The client has to allow the return address ${url} and the implicit flow with an ID token.`,
  lasting: 'Sessions may change credentials, users and rules, and export keys',
  lastingHint:
    'Without it a session only makes and deletes keys, and signs, until it ends. With it, users can add a passkey after a code, and so can a person who reads their mail.',
  forApps: 'Also for apps with the kits of the client packages',
}
