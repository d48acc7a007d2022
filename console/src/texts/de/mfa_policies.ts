import type { Texts } from '../types.ts'

export const mfaPolicies: Texts['mfaPolicies'] = {
  title: 'MFA-Regeln',
  about: 'Schritte, die ein Benutzer vor bestimmten Vorgängen geht, neben den Regeln über Zustimmungen.',
  create: 'Neue MFA-Regel',
  edit: 'Bearbeiten',
  editTitle: 'MFA-Regel bearbeiten',
  back: 'Alle MFA-Regeln',
  save: 'Speichern',
  delete: 'MFA-Regel löschen',
  deleteWarning: 'Der Benutzer braucht dann nur noch, was die Regeln über Zustimmungen verlangen.',
  emptyTitle: 'Noch keine MFA-Regeln',
  emptyText:
    'Eine MFA-Regel verlangt von einem Benutzer weitere Nachweise, etwa einen Passkey und dann einen Code per E-Mail.',
  user: 'Benutzer',
  name: 'Name der Regel',
  when: 'Für welche Vorgänge',
  whenHint:
    'Ein Ausdruck über den Vorgang und was er unterschreibt. Er darf nicht leer sein; true heißt jeder Vorgang.',
  order: 'Reihenfolge',
  orderHint:
    'Von mehreren, die zutreffen, gilt die mit der niedrigsten Zahl. Eine, die nur zutrifft, weil etwas nicht lesbar ist, gilt neben der nächsten.',
  orderWrong: 'Eine ganze Zahl.',
  notes: 'Notizen',
  steps: 'Schritte, einer nach dem anderen',
  step: (number) => `Schritt ${number}`,
  stepHint: 'Eines davon genügt:',
  addStep: 'Schritt hinzufügen',
  removeStep: (number) => `Schritt ${number} entfernen`,
  noMethod: 'Wählen Sie für jeden Schritt mindestens eines.',
  or: ' oder ',
  methods: {
    AUTHENTICATION_TYPE_PASSKEY: 'ein Passkey',
    AUTHENTICATION_TYPE_API_KEY: 'ein API-Schlüssel',
    AUTHENTICATION_TYPE_SESSION: 'eine Sitzung',
    AUTHENTICATION_TYPE_EMAIL_OTP: 'ein Code per E-Mail',
    AUTHENTICATION_TYPE_SMS_OTP: 'ein Code per SMS',
    AUTHENTICATION_TYPE_OAUTH: 'eine Anmeldung über OAuth',
  },
  named: (method, name) => `${method}: ${name}`,
  lockout:
    'Niemand umgeht eine MFA-Regel, auch das Root-Quorum nicht für sich selbst. Prüfen Sie, dass der Benutzer jeden Schritt gehen kann.',
}
