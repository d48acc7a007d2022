const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Words in the names of what transactions and orders have on many chains and markets, as in `receiver_id` and `payAmount`. */
const wordsOfTransactions: ReadonlySet<string> = new Set(
  words(`
    to from sender senders receiver receivers recipient recipients destination destinations dest dst src payee payer
    beneficiary spender counterparty maker taker amount amounts amt value values quantity qty price side fee fees tip gas
    msgs actions operations instructions calls calldata transaction transactions tx txs transfer transfers send pay
    payment payments payout withdraw withdrawal deposit contract order orders swap trade buy sell bid offer mint burn stake
    unstake approve approval allowance permit delegate bridge borrow repay redeem lend hash digest grant grants granted
    grantee grantees granter grantor delegator delegatee signer signers owner owners authority guardian guardians
    instruction cancel close position positions leverage agent agents session sessions scope scopes permission permissions
    asset assets symbol symbols coin coins params args arguments cashout
  `),
)

/** Words that stand beside these where a name has neither capitals nor `_`, as in `toaddress`. */
const wordsBeside: readonly string[] = words(`
  address addresses addr addrs account accounts acct wallet wallets id ids key pubkey name token tokens currency
  chain network list data info details type max min net gross base quote in out wei limit unit units
  usd usdt usdc eth btc sol trx sat sats lamports msg new
`)

/** The words of which names of transactions are made, by the first letter. */
const parts: ReadonlyMap<string, readonly string[]> = Map.groupBy([...wordsOfTransactions, ...wordsBeside], (word) =>
  word.charAt(0),
)

/**
 * A text in quotes before a colon: the name of a member, in whichever JSON of the text. No name begins behind a backslash:
 * to look there takes seconds for a megabyte of `\"`.
 */
const quotedName = /(?<!\\)"(?=((?:[^"\\]|\\.){1,200})"\s*:)/gs
/** The same in single quotes or in none, as lenient readers of JSON take it. A name is read once: blanks may follow it. */
const bareName = /[{,]\s*'?(?=([\p{L}_$][\w$ -]{0,60}))(?=\1'?\s*:)/gu
/** The name of an element of XML. */
const elementName = /<(?=([A-Za-z_][\w:.-]{0,60})[\s/>])/g
/** The beginning of a list, and the type of a member: the name of what is done. */
const command = /(?:\[\s*|"(?:type|@type|op|action|method|kind|command|cmd|function)"\s*:\s*)"(?=([A-Za-z_]{1,60})")/gi

/** A list of JSON with two items. Programs read them by their places, which have no names. */
const listStart = /^\s*(?:\[\s*)+(?:"(?:[^"\\]|\\.){0,200}"|-?\d[\d.eE+-]{0,80}|true|false|null)\s*,/s

/** A text and a number side by side in a list, wherever it stands: what an order does, or for whom, and how much. */
const mixedList = /\[\s*(?:"(?:[^"\\]|\\.){0,200}"\s*,\s*-?\d|-?\d[\d.eE+-]{0,80}\s*,\s*")/s

/** A name and a colon at the beginning of a line, or of a part of one. Prose has longer ones. */
const lineName = /(?:^|[\n;,])[ \t]*(?=([A-Za-z][\w-]{0,30}(?: [\w-]{1,30})?)[ \t]*[:=][ \t]*\S)/g

/** Whether several lines of a text have names of transactions, as a form that a program reads. */
function isForm(text: string): boolean {
  return [...text.matchAll(lineName)].filter(([, name = '']) => isOfTransaction(name)).length > 1
}

/** Whether a text is a query, a form, or JSON or XML that may be a transaction, or has such JSON in it, also inside a text of JSON. */
export function mayBeTransaction(text: string): boolean {
  if (isQuery(text.trim())) return true
  if (isForm(text) || mixedList.test(text)) return true
  if (listStart.test(text) && text.trimEnd().endsWith(']')) return true
  // Each run of backslashes is looked at once, from its beginning.
  const all = [text, text.replace(/(?<!\\)\\+"/g, '"')]
  return formsIn(text).some((form) =>
    all.some((one) => one.matchAll(form).some(([, name = '']) => isOfTransaction(written(name)))),
  )
}

function formsIn(text: string): readonly RegExp[] {
  return [
    ...(/[{[]/.test(text) ? [quotedName, command] : []),
    ...(text.includes('{') ? [bareName] : []),
    ...(text.includes('</') || text.includes('/>') ? [elementName] : []),
  ]
}

/**
 * Whether a text is a query, as markets sign it, whatever its names: the time alone is a whole request to some. Blanks may
 * stand behind the first parameter only where there are several. Base64 ends with `=`.
 */
function isQuery(text: string): boolean {
  return /^\??[^\s=&;?/]{1,200}=[^=]/.test(text) && (/[&;]/.test(text) || !/\s/.test(text))
}

/** A name as a parser reads it: `\u0074o` is `to`, and `%74o` is where it is decoded as a query is. */
export function written(name: string): string {
  return name.replace(/\\u([0-9a-f]{4})|%([0-9a-f]{2})/gi, (_, unit: string | undefined, byte = '') =>
    String.fromCharCode(Number.parseInt(unit ?? byte, 16)),
  )
}

/** A name of OAuth 2.0, which is about logins. */
const grantType = /^grant_?type$/i

function isOfTransaction(name: string): boolean {
  return !grantType.test(name) && wordsOf(name).some((word) => wordsOfTransactions.has(word) || isCompound(word))
}

/** The words of a name: `toAddress`, `to_address`, `TOAddress` and `to-address2` have the same two. */
function wordsOf(name: string): readonly string[] {
  return name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((word) => word.toLowerCase())
}

const compoundCharactersMax = 40

/** Whether a word is made of known words alone, one of them of transactions: `payamount` is, and `payload` is not. */
function isCompound(word: string): boolean {
  if (word.length > compoundCharactersMax) return false
  // For each place that words end at: whether one of them may be of transactions.
  const ends = new Map([[0, false]])
  for (let at = 0; at < word.length; at += 1) {
    const isSaid = ends.get(at)
    if (isSaid === undefined) continue
    for (const part of parts.get(word.charAt(at)) ?? []) {
      const end = at + part.length
      if (word.startsWith(part, at)) ends.set(end, ends.get(end) === true || isSaid || wordsOfTransactions.has(part))
    }
  }
  return ends.get(word.length) === true
}
