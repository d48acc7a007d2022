/** The page of a link that registers a passkey. */
export const link = {
  title: 'Register a passkey',
  forUser: 'for the user',
  inOrganization: 'in the organization',
  userId: 'ID of the user',
  organizationId: 'ID of the organization',
  about: {
    firstStart: 'This link adds one passkey of this device to the user. Afterwards the passkey logs you in.',
    invitation: 'You are invited to be a user of this organization. Make a passkey on this device to accept.',
    passkey: 'This link adds one passkey of this device to the user. Afterwards the passkey logs you in.',
  },
  over: {
    firstStart:
      'This link was used or has expired. On the machine of the server, `claviger console-link` prints another one.',
    invitation:
      'This invitation was accepted or withdrawn, or has expired. Ask the person who invited you for another one.',
    passkey:
      'This link was used or has expired, or others have not approved it yet. Ask the person who gave it to you.',
  },
  elsewhere: {
    firstStart:
      'This link works on the machine of the server alone, under the name localhost. Open the whole link there as it was printed.',
    invitation:
      'The organization accepts requests from certain addresses only, and this device has another. Ask the person who gave you the link.',
    passkey:
      'The organization accepts requests from certain addresses only, and this device has another. Ask the person who gave you the link.',
  },
  twoTouches: 'The browser asks for the passkey twice: once to make it, once to log in.',
  name: 'Name of the passkey',
  nameHint: 'You will see it under Account, beside your other passkeys.',
  nameDefault: 'My passkey',
  make: 'Make the passkey',
  registered: 'The passkey is registered. Log in with it to go on.',
  logIn: 'Log in with the passkey',
  toLogin: 'Go on without the link',
  incomplete: 'This link is not complete. Copy the whole of it, with all that follows the #.',
  insecure:
    'A passkey needs https or the name localhost. Open the whole link again by such an address, as you were given it.',
}
