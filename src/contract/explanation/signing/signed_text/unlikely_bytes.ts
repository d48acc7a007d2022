/**
 * Tells texts that people or programs write from 32 bytes that only happen to be characters, by how many bits a simple code
 * of words and tokens needs. Hashes that read as a text can be found, and of these it tells 99 in a hundred.
 */

const hashBytes = 32
/** For 32 bytes. Plain sentences need 170, tokens in Base64 202, and characters by chance 248. */
const bitsMax = 220

/** Kinds of characters, each with the bits that choose one of its kind. */
const kinds = [
  { form: /[a-z]/, bits: Math.log2(26) },
  { form: /[A-Z]/, bits: Math.log2(26) },
  { form: /[0-9]/, bits: Math.log2(10) },
  // Hardly any blank is no space.
  { form: /[ \t\r\n]/, bits: 1 },
  { form: /[-./_'=&?%()!]/, bits: Math.log2(12) },
  { form: /"/, bits: 0 },
  { form: /[,:{}[\]<>]/, bits: 3 },
  { form: /[!-~]/, bits: Math.log2(11) },
] as const
const otherScript = kinds.length
const blank = 3
/** The bits of a character of another script, by the bytes that it has. */
const bitsByBytes = [0, 7, 9, 16, 21] as const

/** How often one kind follows another in words, addresses of the web, JSON and XML, in hundredths. The last is other scripts. */
const following: readonly (readonly number[])[] = [
  [73, 1, 2, 14, 3, 2, 2, 1, 2],
  [36, 38, 7, 5, 4, 1, 3, 1, 5],
  [14, 4, 54, 4, 8, 7, 7, 1, 1],
  [64, 9, 3, 12, 3, 2, 3, 2, 2],
  [38, 4, 20, 15, 10, 1, 7, 2, 3],
  [41, 1, 6, 1, 1, 1, 47, 1, 1],
  [4, 1, 14, 36, 6, 31, 6, 1, 1],
  [38, 3, 1, 24, 12, 1, 10, 10, 1],
  [12, 4, 1, 10, 4, 1, 1, 1, 66],
]

/** Base64 and Base58, as nonces are written. */
const tokenCharacter = /[A-Za-z0-9_+/=-]/
const bitsOfToken = Math.log2(67)
/** To go on with words or with a token, and to change between them. */
const [bitsToStay, bitsToChange] = [Math.log2(32 / 31), 5]

/** Whether some 32 bytes of a text are unlikely to be written by anybody, and so may be a hash. */
export function hasUnlikelyBytes(text: string): boolean {
  const all = codedCharacters(text)
  let [bits, bytes, first] = [0, 0, 0]
  for (const one of all) {
    bits += one.bits
    bytes += one.bytes
    for (let left = all[first]; bytes > hashBytes && left !== undefined; left = all[first]) {
      bits -= left.bits
      bytes -= left.bytes
      first += 1
    }
    if (bits > bitsMax) return true
  }
  return false
}

type Coded = { readonly bits: number; readonly bytes: number }
/** The shortest code up to a character that is coded in one way, with that of the character before it. */
type Path = { readonly total: number; readonly coded: Coded; readonly before: Path | undefined }

/** Each character in the shortest code of the text: as a part of words, or of a token. */
function codedCharacters(text: string): readonly Coded[] {
  let kind: number = blank
  let words: Path | undefined
  let token: Path | undefined
  for (const character of text) {
    const next = kindOf(character)
    const bytes = Buffer.byteLength(character)
    const inWords = bitsInWords(kind, next, bytes)
    const inToken = tokenCharacter.test(character) ? bitsOfToken : Number.POSITIVE_INFINITY
    const before = { words, token }
    words = shorter(before.words, before.token, { bits: inWords, bytes })
    token = shorter(before.token, before.words, { bits: inToken, bytes })
    kind = next
  }
  const coded: Coded[] = []
  const end = (token?.total ?? 0) < (words?.total ?? 0) ? token : words
  for (let path = end; path !== undefined; path = path.before) coded.push(path.coded)
  return coded
}

function kindOf(character: string): number {
  const found = kinds.findIndex(({ form }) => form.test(character))
  return found === -1 ? otherScript : found
}

function bitsInWords(kind: number, next: number, bytes: number): number {
  const hundredths = following[kind]?.[next] ?? 1
  return Math.log2(100 / hundredths) + (kinds[next]?.bits ?? bitsByBytes[bytes] ?? 0)
}

/** The shorter way to code one more character: in the same way as the one before, or by a change. */
function shorter(same: Path | undefined, other: Path | undefined, { bits, bytes }: Coded): Path {
  const [stays, changes] = [(same?.total ?? 0) + bitsToStay, (other?.total ?? 0) + bitsToChange]
  const isSame = stays <= changes
  const total = (isSame ? stays : changes) + bits
  return {
    total,
    coded: { bits: bits + (isSame ? bitsToStay : bitsToChange), bytes },
    before: isSame ? same : other,
  }
}
