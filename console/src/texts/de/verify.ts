import type { verify as en } from '../en/verify.ts'
import type { Translated } from '../types.ts'
import { refusals } from './refusals.ts'

export const verify: Translated<typeof en> = {
  title: 'Beleg prüfen',
  about:
    'Prüft den Beleg eines Vorgangs allein an seiner Datei. Diese Seite fragt keinen Server: Speichern Sie sie und öffnen Sie sie von Ihrer Festplatte.',
  proof: 'Beleg',
  proofHint: 'Die Datei, die „Beleg herunterladen“ in der Konsole gegeben hat, oder ein tlog-proof mit seinem Eintrag.',
  policy: 'Policy',
  policyHint:
    'Sagt, wessen Schlüssel und Mitunterschriften genügen. Holen Sie sie vorher vom Betreiber oder von jemandem, dem Sie trauen, und nicht zusammen mit dem Beleg. Ohne sie bürgt niemand für die Schlüssel.',
  unreadable: (name) => `${name} ist nicht lesbar`,
  proven: 'Belegt',
  provenAbout: 'Alle Einträge stehen in Logs, die die Policy anerkennt.',
  unvouched: 'Richtig, aber niemand bürgt für die Schlüssel',
  unvouchedAbout:
    'Alle Einträge stehen in Bäumen, die die Schlüssel der Datei unterschrieben haben. Wer die Datei gemacht hat, kann auch diese Schlüssel gemacht haben: Wählen Sie eine Policy.',
  refused: 'Nicht belegt',
  refusedAbout: 'Mindestens ein Eintrag ist nicht belegt. Verlassen Sie sich nicht auf diese Datei.',
  entry: (place) => `Eintrag ${place}`,
  reason: 'Warum nicht',
  reasons: refusals,
  organization: 'Organisation',
  activity: 'Vorgang',
  version: 'Version',
  type: 'Art',
  status: 'Status',
  decided: 'Entschieden',
  log: 'Log',
  index: 'Index',
  size: 'Einträge im Baum',
  witnesses: 'Mitunterschrieben von',
  nobody: 'niemandem, den die Policy nennt',
  documentDigest: 'SHA-256 des Dokuments',
  document: 'Dokument',
  remarks: 'Anmerkungen',
  isLate: 'eingetragen, nachdem es den Tresor verlassen hatte',
  isTakenUp: 'in der Datenbank gefunden: Das Log kennt von der Änderung nur den Schlüssel',
  isOfOperator: 'eine Handlung des Betreibers',
  uncovered: (versions) =>
    `Die Datei hat keinen Eintrag für Version ${versions}: Das Log hatte ihn noch nicht veröffentlicht oder begann später.`,
  limits:
    'Ein Beleg zeigt, dass der Tresor diese Entscheidung eingetragen hat, wann und mit welchem Ausgang. Er zeigt nicht, dass die Regeln sie erlaubt haben, und nicht, dass kein anderer Eintrag fehlt: Das zeigt ein Export der Organisation.',
  language: 'Sprache',
}
