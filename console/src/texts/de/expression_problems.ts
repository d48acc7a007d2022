import type { Translations } from '../../../../src/policy/language/message.ts'

/** The types and structs of values. Each stands behind a colon or in brackets, so in the nominative. */
const types: Translations = {
  'a boolean': 'ein „boolean“',
  'an integer': 'ein „integer“',
  'a string': 'ein „string“',
  'a timestamp': 'ein „timestamp“',
  'a list': 'eine „list“',
  'a map': 'eine „map“',
  'a value that the request decides': 'ein Wert, den erst die Anfrage bestimmt',
  'EIP-712 typed data': 'typisierte Daten nach EIP-712',
  'a Bitcoin transaction': 'eine Bitcoin-Transaktion',
  'a Lightning receive': 'ein Empfang über Lightning',
  'a Solana instruction': 'eine Solana-Anweisung',
  'a Solana transaction': 'eine Solana-Transaktion',
  'a Spark key derivation': 'eine Spark-Schlüsselableitung',
  'a Spark transfer': 'eine Spark-Überweisung',
  'a Tempo transaction': 'eine Tempo-Transaktion',
  'a Tron contract': 'ein Tron-Contract',
  'a Tron permission': 'eine Tron-Berechtigung',
  'a Tron transaction': 'eine Tron-Transaktion',
  'a call': 'ein Aufruf',
  'a claim': 'eine Einlösung',
  'a commitment of an operator': 'ein Commitment eines Betreibers',
  'a credential': 'ein Zugang',
  'a key of a permission': 'ein Schlüssel einer Berechtigung',
  'a leaf': 'ein Blatt',
  'a lock time': 'eine Sperrzeit',
  'a look-up in an address table': 'ein Verweis auf eine Adresstabelle',
  'a parsed instruction': 'eine gelesene Anweisung',
  'a private key': 'ein privater Schlüssel',
  'a recipient among the operators': 'ein Empfänger unter den Betreibern',
  'a secret': 'ein Geheimnis',
  'a signature to make': 'eine Signatur, die zu leisten ist',
  'a signing leaf': 'ein unterschreibendes Blatt',
  'a static deposit': 'eine feste Einzahlung',
  'a move of lamports': 'eine Bewegung von Lamports',
  'a transfer': 'eine Überweisung',
  'a transfer of a token': 'eine Überweisung eines Tokens',
  'a user': 'ein Benutzer',
  'a wallet': 'eine Wallet',
  'a wallet account': 'ein Konto einer Wallet',
  'an EIP-712 domain': 'eine Domäne nach EIP-712',
  'an EIP-7702 authorization': 'eine Vollmacht nach EIP-7702',
  'an Ethereum transaction': 'eine Ethereum-Transaktion',
  'an account of an instruction': 'ein Konto einer Anweisung',
  'an activity': 'ein Vorgang',
  'an input': 'ein Eingang',
  'an output': 'ein Ausgang',
  'the parameters of an activity': 'die Angaben eines Vorgangs',
  'the time': 'die Zeit',
  'the velocity controls': 'die Mengenkontrollen',
  'what is signed for Bitcoin': 'was für Bitcoin unterschrieben wird',
  'what is signed for Ethereum': 'was für Ethereum unterschrieben wird',
  'what is signed for Solana': 'was für Solana unterschrieben wird',
  'what is signed for Tempo': 'was für Tempo unterschrieben wird',
  'what is signed for Tron': 'was für Tron unterschrieben wird',
}

const characters: Translations = {
  'found {0}': 'Gefunden: {0}',
  'found {0}; {1}': 'Gefunden: {0}; {1}',
  'compare with ==': 'verglichen wird mit ==',
  'and is written &&': '„und“ schreibt sich &&',
  'or is written ||': '„oder“ schreibt sich ||',
  "strings stand in single quotes: 'like this'": "ein „string“ steht in einfachen Anführungszeichen: 'wie hier'",
  "strings stand in straight single quotes: 'like this'":
    "ein „string“ steht in geraden einfachen Anführungszeichen: 'wie hier'",
  'there is no subtraction; add the term on the other side of the comparison':
    'es gibt keine Subtraktion; addieren Sie den Term auf der anderen Seite des Vergleichs',
  'there is no multiplication': 'es gibt keine Multiplikation',
  'there is no division': 'es gibt keine Division',
  'there is no remainder': 'es gibt keinen Divisionsrest',
  'there are no structs to write, only to read': 'ein „struct“ lässt sich nur lesen, nicht schreiben',
  'there is no conditional operator; use && and ||': 'es gibt keinen Bedingungsoperator; nehmen Sie && und ||',
  'a text holds one expression': 'ein Text enthält nur einen Ausdruck',
  'a string holds no line breaks and no control characters':
    'Ein „string“ enthält keine Zeilenumbrüche und keine Steuerzeichen',
  "after a backslash a string has ' or another backslash, nothing else":
    "Nach einem Backslash steht in einem „string“ ' oder noch ein Backslash, sonst nichts",
  "this string has no closing '; inside a string a quote is written \\'":
    "Diesem „string“ fehlt das schließende '; innen schreibt sich ein Anführungszeichen \\'",
  'an integer is written in decimal digits alone: no 0x, no exponent, no underscore':
    'Ein „integer“ besteht nur aus Dezimalziffern: kein 0x, kein Exponent, kein Unterstrich',
  'there are no fractions; amounts are in the smallest unit, such as wei':
    'Es gibt keine Brüche; Beträge stehen in der kleinsten Einheit, etwa Wei',
  'an integer does not begin with 0; without quotes it is a number, not an address':
    'Ein „integer“ beginnt nicht mit 0; ohne Anführungszeichen ist das eine Zahl, keine Adresse',
  'an integer is between -2^127 and 2^256 - 1': 'Ein „integer“ liegt zwischen -2^127 und 2^256 - 1',
}

const form: Translations = {
  'expected {0}': 'Erwartet: {0}',
  'expected {0}, found {1}': 'Erwartet: {0}, gefunden: {1}',
  'expected {0}, found {1}{2}': 'Erwartet: {0}, gefunden: {1}{2}',
  "expected '{0}', found {1}": 'Erwartet: „{0}“, gefunden: {1}',
  'expected a value, found {0}': 'Erwartet: ein Wert, gefunden: {0}',
  'expected an operator or the end, found {0}': 'Erwartet: ein Operator oder das Ende, gefunden: {0}',
  "expected a time in UTC such as '2026-03-01T00:00:00Z' (RFC 3339, offset zero)":
    "Erwartet: eine Zeit in UTC, etwa '2026-03-01T00:00:00Z' (RFC 3339, ohne Abstand zu UTC)",
  "expected an integer field of a transaction, such as 'eth.tx.value', found '{0}'":
    "Erwartet: ein „integer“ unter den Feldern einer Transaktion, etwa 'eth.tx.value', gefunden: '{0}'",
  'a value': 'ein Wert',
  'the end of the text': 'das Ende des Textes',
  'the integer {0}': 'der „integer“ {0}',
  "'{0}'": '„{0}“',
  "'{0}'; write {1}": '„{0}“; schreiben Sie {1}',
  'the name of a field or method': 'der Name eines Felds oder einer Methode',
  'a name for the items, as in {0}(item, item == 1)': 'ein Name für die Elemente, wie in {0}(item, item == 1)',
  "Timestamp('<time>')": "Timestamp('<Zeit>')",
  "CronSpan('<cron>', '<duration>', '<time zone>')": "CronSpan('<Cron>', '<Dauer>', '<Zeitzone>')",
  "spent('<field>', '<duration>')": "spent('<Feld>', '<Dauer>')",
  'five fields: minute (0-59), hour (0-23), day of month (1-31), month (1-12), day of week (0-6, 0 is Sunday); numbers, ranges, lists and * only':
    'fünf Felder: Minute (0-59), Stunde (0-23), Tag des Monats (1-31), Monat (1-12), Wochentag (0-6, 0 ist Sonntag); nur Zahlen, Bereiche, Listen und *',
  'a schedule that fires at least once: no month named here has such a day':
    'ein Zeitplan, der mindestens einmal eintritt: Kein Monat, der hier steht, hat einen solchen Tag',
  "whole days, hours and minutes up to 7 days, such as '8h', '90m' or '1d12h'":
    "ganze Tage, Stunden und Minuten, zusammen höchstens 7 Tage, etwa '8h', '90m' oder '1d12h'",
  "the name of an IANA time zone, such as 'Europe/Berlin' or 'UTC'":
    "der Name einer Zeitzone der IANA, etwa 'Europe/Berlin' oder 'UTC'",
  'an expression has at most {0} characters': 'Ein Ausdruck hat höchstens {0} Zeichen',
  'an expression is nested at most {0} deep': 'Ein Ausdruck ist höchstens {0} Ebenen tief verschachtelt',
  'a list has at most {0} items': 'Eine „list“ hat höchstens {0} Elemente',
  'comparisons are not chained; write a < b && b < c, or use parentheses':
    'Vergleiche bilden keine Kette; schreiben Sie a < b && b < c, oder setzen Sie Klammern',
}

const names: Translations = {
  'there is no keyword {0}{1}': 'Es gibt kein Schlüsselwort „{0}“{1}',
  'there is no function {0}{1}': 'Es gibt keine Funktion „{0}“{1}',
  'there is no method {0}{1}': 'Es gibt keine Methode „{0}“{1}',
  '{0} has no field {1}{2}': '„{0}“ hat kein Feld „{1}“{2}',
  "; did you mean '{0}'?": '; meinten Sie „{0}“?',
  '; {0} has {1}': '; in „{0}“ gibt es {1}',
  '; there are {0}': '; es gibt {0}',
  '; it has {0}': '; es gibt {0}',
  '; it is one of {0}': '; möglich sind {0}',
  '{0} can be read in {1}, not in {2}': '„{0}“ lässt sich in „{1}“ lesen, nicht in „{2}“',
  '{0} can be used in {1}, not in {2}': '„{0}“ lässt sich in „{1}“ verwenden, nicht in „{2}“',
  '{0} cannot name a variable': '„{0}“ kann nicht der Name einer Variable sein',
  'the variable of .{0} cannot be called {1}: that name has a meaning here already':
    'Die Variable von .{0} kann nicht „{1}“ heißen: Der Name hat hier schon eine Bedeutung',
  'spending limits and velocity controls are for policies':
    'Ausgabenlimits und Mengenkontrollen gehören in Regeln, nicht in MFA-Regeln',
}

const uses: Translations = {
  '; write {0} without quotes': '; schreiben Sie {0} ohne Anführungszeichen',
  "{0} is read by key: {1}['{2}']": "„{0}“ wird über einen Schlüssel gelesen: {1}['{2}']",
  '{0} is a list; read an item by {1}[0] or use any, all, filter, contains, count':
    '„{0}“ ist eine „list“; lesen Sie ein Element mit {1}[0], oder nehmen Sie any, all, filter, contains oder count',
  '{0} is {1}; its fields are read with a dot': 'Felder von „{0}“ ({1}) werden mit einem Punkt gelesen',
  "{0} is never '{1}'{2}": "„{0}“ ist nie '{1}'{2}",
  'something with fields before .{0}': 'etwas mit Feldern vor .{0}',
  'an index or a key': 'ein Index oder ein Schlüssel',
  'a list or a string before [..]': 'eine „list“ oder ein „string“ vor [..]',
  'a list, a map or a string before [': 'eine „list“, eine „map“ oder ein „string“ vor [',
  'a list before .{0}': 'eine „list“ vor .{0}',
  "a list after 'in'": 'eine „list“ nach „in“',
  'a string, an integer or a boolean in a written list':
    'ein „string“, ein „integer“ oder ein „boolean“ in einer ausgeschriebenen „list“',
  '{0} like the item before': '{0} wie das Element davor',
  'an integer or a timestamp beside {0}': 'ein „integer“ oder ein „timestamp“ neben {0}',
  'a string, an integer, a boolean or a timestamp to compare':
    'ein „string“, ein „integer“, ein „boolean“ oder ein „timestamp“ zum Vergleichen',
  "the length of {0} is {1}, that of '{2}' is {3}": "Die Länge von „{0}“ ist {1}, die von '{2}' ist {3}",
  'no index is below 0': 'kein Index ist unter 0',
  'the slice {0}..{1} ends before it begins': 'der Teil {0}..{1} endet, bevor er beginnt',
  'the slice {0}..{1} has no items': 'der Teil {0}..{1} hat keine Einträge',
  '{0} has {1} characters at most': '„{0}“ hat höchstens {1} Zeichen',
  '{0} has {1} items at most': '„{0}“ hat höchstens {1} Elemente',
  '{0} is never {1}; it is {2}': '„{0}“ ist nie {1}, sondern {2}',
  '{0} is never {1} {2}; it is {3}': '„{0}“ ist nie {1} {2}, sondern {3}',
  '{0} is always {1} {2}; it is {3}': '„{0}“ ist immer {1} {2}, nämlich {3}',
  'from {0} to {1}': 'von {0} bis {1}',
  '{0} or more': '{0} oder mehr',
  "'{0}' is compared with fields that spell it differently: write it twice":
    "'{0}' wird mit Feldern verglichen, die es verschieden schreiben: Schreiben Sie es zweimal",
  '; it holds {0}': '; dort steht: {0}',
}

const forms: Translations = {
  'bytes in hex {0}': 'Bytes in Hex {0}',
  '{0} digits of hex {1}': '{0} Ziffern Hex {1}',
  'with 0x': 'mit 0x',
  'without 0x': 'ohne 0x',
  'an Ethereum address': 'eine Ethereum-Adresse',
  'a public key in hex, in pieces the compressed one': 'ein öffentlicher Schlüssel in Hex, für Teile der komprimierte',
  'a public key in hex, in pieces the compressed one; of a passkey the COSE_Key in hex':
    'ein öffentlicher Schlüssel in Hex, für Teile der komprimierte; bei einem Passkey der COSE_Key in Hex',
  'a Bitcoin address of P2PKH, P2SH, P2WPKH, P2WSH or P2TR, in pieces that of the main network':
    'eine Bitcoin-Adresse der Form P2PKH, P2SH, P2WPKH, P2WSH oder P2TR, für Teile die des Hauptnetzes',
  'a Tron address': 'eine Tron-Adresse',
  'a Solana key: 32 bytes in base58': 'ein Solana-Schlüssel: 32 Bytes in Base58',
  'a Spark address': 'eine Spark-Adresse',
  'an address': 'eine Adresse',
  'an id': 'eine ID',
  'a text': 'ein Text',
  'the name of a struct': 'der Name eines Structs',
  'a name without blanks at its ends and without invisible characters':
    'ein Name ohne Leerzeichen an den Enden und ohne unsichtbare Zeichen',
  'an e-mail address': 'eine E-Mail-Adresse',
  'the id of a passkey in base64url': 'die ID eines Passkeys in Base64url',
  'a name of letters, digits, $ and _': 'ein Name aus Buchstaben, Ziffern, $ und _',
  '; no name begins with a digit: compare {0}': '; kein Name beginnt mit einer Ziffer: vergleichen Sie {0}',
  'a name of letters, digits and _': 'ein Name aus Buchstaben, Ziffern und _',
  'a name of printable ASCII without blanks, quotes and . : ( ) , [ ]':
    'ein Name aus druckbarem ASCII ohne Leerzeichen, Anführungszeichen und . : ( ) , [ ]',
  "{0} has no key '{1}'{2}": "{0} hat keinen Schlüssel '{1}'{2}",
  '; a key is {0}': '; ein Schlüssel ist {0}',
  '; the checksum in its capitals (EIP-55) is wrong': '; die Prüfsumme in den Großbuchstaben (EIP-55) ist falsch',
  '; it has the address on the main network, which begins with bc1, 1, 3, D or spark1, and that of TON which begins with UQ; for a Solana key that begins so, compare the whole address':
    '; es hat die Adresse im Hauptnetz, die mit bc1, 1, 3, D oder spark1 beginnt, und von TON die, die mit UQ beginnt; für einen Solana-Schlüssel, der so beginnt, vergleichen Sie die ganze Adresse',
  '; domains are in ASCII, such as xn--bcher-kva.example': '; Domains stehen in ASCII, etwa xn--bcher-kva.example',
  'a key in base58, bytes in hex without 0x and without capitals, or a text':
    'ein Schlüssel in Base58, Bytes in Hex ohne 0x und ohne Großbuchstaben, oder ein Text',
  'hex with 0x, or a text': 'Hex mit 0x, oder ein Text',
  'the type of an activity': 'der Typ eines Vorgangs',
  'the kind of an activity': 'die Art eines Vorgangs',
  'the expression compares too many texts with too many fields':
    'der Ausdruck vergleicht zu viele Texte mit zu vielen Feldern',
  "only the scope of a session is asked about queries, so no action is 'READ' here":
    "nur der Geltungsbereich einer Sitzung wird zu Abfragen befragt, darum ist hier keine Aktion 'READ'",
  "only the scope of a session is asked about queries, so {0} is never '{1}' here: leave it out":
    "nur der Geltungsbereich einer Sitzung wird zu Abfragen befragt, darum ist {0} hier nie '{1}': lassen Sie es weg",
  "no policy is asked about '{0}', which only the root quorum does":
    "keine Regel wird zu '{0}' befragt, das nur das Root-Quorum tut",
  "no policy is asked about '{0}', which only the key for it does: name what makes that key, {1} with CREATE":
    "keine Regel wird zu '{0}' befragt, das nur der Schlüssel dafür tut: nennen Sie, was diesen Schlüssel macht, {1} mit CREATE",
  '{0} and {1} never have the same text': '{0} und {1} haben nie denselben Text',
  'no request has both {0} and {1}: write a rule for each':
    'keine Anfrage hat sowohl {0} als auch {1}: schreiben Sie für jedes eine Regel',
  'no request has both {0} and {1}{2}': 'keine Anfrage hat sowohl {0} als auch {1}{2}',
  'no request has {0} with what is beside it': 'keine Anfrage hat {0} mit dem, was daneben steht',
  '{0} counts {1} only and has no value with {2}: leave it out there, or write a rule for each':
    '{0} zählt nur {1} und hat mit {2} keinen Wert: lassen Sie es dort weg, oder schreiben Sie für jedes eine Regel',
  '{0} and {1} other kinds': '{0} und {1} weitere Arten',
  'what is beside it': 'dem, was daneben steht',
  'only {0} has both {1} and {2}, and is named by its kind{3}':
    'nur {0} hat sowohl {1} als auch {2}, und wird mit seiner Art genannt{3}',
  '{0} is never true': '{0} ist nie wahr',
  '{0} is always true where its fields exist': '{0} ist immer wahr, wo es die Felder gibt',
  '{0} and {1} are never true together': '{0} und {1} sind nie zugleich wahr',
  '{0} is never true: {1} is the most, because no two have the same id':
    '{0} ist nie wahr: {1} ist das Höchste, weil keine zwei dieselbe id haben',
  '{0} is never true with what is beside it': '{0} ist mit dem, was daneben steht, nie wahr',
  '; with {0}, {1} is {2}': '; mit {0} ist {1}: {2}',
}

/** The messages of the checker of expressions, by their English templates. Each has the places of the English one. */
export const expressionProblems: Translations = { ...types, ...characters, ...form, ...names, ...uses, ...forms }
