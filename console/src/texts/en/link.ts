/** The page of a link that registers a passkey. */
export const link = {
  title: 'Register a passkey',
  forUser: 'for the user',
  inOrganization: 'in the organization',
  firstStart: 'This link adds one passkey of this device to the user. Afterwards the passkey logs you in.',
  invitation: 'You are invited to be a user of this organization. Make a passkey on this device to accept.',
  twoTouches: 'The browser asks for the passkey twice: once to make it, once to log in.',
  name: 'Name of the passkey',
  nameHint: 'You will see it under Account, beside your other passkeys.',
  nameDefault: 'My passkey',
  make: 'Make the passkey',
  registered: 'The passkey is registered. Log in with it to go on.',
  logIn: 'Log in with the passkey',
  toLogin: 'Go on without the link',
  incomplete: 'This link is not complete. Copy the whole of it, with all that follows the #.',
  firstStartOver:
    'This link was used or has expired. On the machine of the server, `claviger console-link` prints another one.',
  invitationOver:
    'This invitation was accepted or withdrawn, or has expired. Ask the person who invited you for another one.',
  firstStartElsewhere:
    'This link works on the machine of the server alone, under the name localhost. Open the whole link there as it was printed.',
  insecure:
    'A passkey needs https or the name localhost. Open the whole link again by such an address, as you were given it.',
}
