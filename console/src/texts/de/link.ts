import type { Texts } from '../types.ts'

export const link: Texts['link'] = {
  title: 'Passkey einrichten',
  forUser: 'für den Benutzer',
  inOrganization: 'in der Organisation',
  userId: 'ID des Benutzers',
  organizationId: 'ID der Organisation',
  about: {
    firstStart: 'Dieser Link fügt dem Benutzer einen Passkey dieses Geräts hinzu. Danach meldet der Passkey Sie an.',
    invitation:
      'Sie sind eingeladen, Benutzer dieser Organisation zu werden. Legen Sie auf diesem Gerät einen Passkey an, um die Einladung anzunehmen.',
    passkey: 'Dieser Link fügt dem Benutzer einen Passkey dieses Geräts hinzu. Danach meldet der Passkey Sie an.',
  },
  over: {
    firstStart:
      'Dieser Link wurde benutzt oder ist abgelaufen. Auf der Maschine des Servers gibt `claviger console-link` einen anderen aus.',
    invitation:
      'Diese Einladung wurde angenommen oder zurückgezogen, oder sie ist abgelaufen. Bitten Sie die Person, die Sie eingeladen hat, um eine andere.',
    passkey:
      'Dieser Link wurde benutzt oder ist abgelaufen, oder andere haben ihm noch nicht zugestimmt. Fragen Sie die Person, die ihn Ihnen gegeben hat.',
  },
  elsewhere: {
    firstStart:
      'Dieser Link gilt nur auf der Maschine des Servers, unter dem Namen localhost. Öffnen Sie dort den ganzen Link, wie er ausgegeben wurde.',
    invitation:
      'Die Organisation nimmt Anfragen nur von bestimmten Adressen an, und dieses Gerät hat eine andere. Fragen Sie die Person, die Ihnen den Link gegeben hat.',
    passkey:
      'Die Organisation nimmt Anfragen nur von bestimmten Adressen an, und dieses Gerät hat eine andere. Fragen Sie die Person, die Ihnen den Link gegeben hat.',
  },
  twoTouches: 'Der Browser verlangt den Passkey zweimal: einmal zum Anlegen, einmal zur Anmeldung.',
  name: 'Name des Passkeys',
  nameHint: 'Sie sehen ihn unter Konto, neben Ihren anderen Passkeys.',
  nameDefault: 'Mein Passkey',
  make: 'Passkey anlegen',
  registered: 'Der Passkey ist eingerichtet. Melden Sie sich damit an, um fortzufahren.',
  logIn: 'Mit dem Passkey anmelden',
  toLogin: 'Ohne den Link fortfahren',
  incomplete: 'Dieser Link ist nicht vollständig. Kopieren Sie ihn ganz, mit allem, was auf das # folgt.',
  insecure:
    'Ein Passkey braucht https oder den Namen localhost. Öffnen Sie den ganzen Link noch einmal unter einer solchen Adresse, wie Sie ihn bekommen haben.',
}
