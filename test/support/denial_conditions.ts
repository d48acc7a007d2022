import fc from 'fast-check'
import { keywords } from '../../src/policy/language/names/keywords.ts'
import type { Type } from '../../src/policy/language/names/types.ts'

/** Comparisons of everything that a condition can read, as texts. `negative` ones are true of most values. */
export type Comparisons = { readonly positive: readonly string[]; readonly negative: readonly string[] }

const texts = ['0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 'a', 'w1', 'k1', 't1', 'transfer']
const keys = ['to', 'amount', 'payee', 'spender']

/** `depth` is the number of surrounding tests over lists. */
function comparisonsOf(text: string, type: Type, depth = 0): Comparisons {
  switch (type.kind) {
    case 'bool':
      return { positive: [text, `${text} == true`], negative: [`!${text}`, `${text} != true`] }
    case 'int':
    case 'uint':
      return { positive: [`${text} == 5`], negative: [`${text} != 5`, `${text} > 4`, `${text} + 1 < 8`] }
    case 'string': {
      const values = (type.oneOf ?? texts).filter((value) => value !== 'READ')
      return {
        positive: values.flatMap((value) => [`${text} == '${value}'`, `${text} in ['${value}']`]),
        negative: values.flatMap((value) => [`${text} != '${value}'`, `!(${text} in ['${value}'])`]),
      }
    }
    case 'struct':
      return joined([...type.fields].map(([name, field]) => comparisonsOf(`${text}.${name}`, field, depth)))
    case 'map':
      return joined(keys.map((key) => comparisonsOf(`${text}['${key}']`, type.item, depth)))
    case 'list':
      return comparisonsOfList(text, type.item, depth)
    case 'any':
      return {
        positive: [`${text} == 'a'`, `${text} == 5`],
        negative: [`${text} != 'a'`, `${text} != 5`],
      }
    case 'timestamp':
      return { positive: [], negative: [] }
  }
}

function comparisonsOfList(text: string, item: Type, depth: number): Comparisons {
  const variable = `v${depth}`
  const ofItem = comparisonsOf(variable, item, depth + 1)
  const first = comparisonsOf(`${text}[0]`, item, depth + 1)
  const tested = (method: string, texts: readonly string[]) =>
    texts.map((body) => `${text}.${method}(${variable}, ${body})`)
  return {
    positive: [...tested('any', ofItem.positive), ...first.positive],
    negative: [
      ...tested('any', ofItem.negative),
      ...tested('all', ofItem.positive),
      ...tested('all', ofItem.negative),
      ...first.negative,
      `${text}.count() != 1`,
    ],
  }
}

function joined(all: readonly Comparisons[]): Comparisons {
  return {
    positive: all.flatMap(({ positive }) => positive),
    negative: all.flatMap(({ negative }) => negative),
  }
}

const named = (isWanted: (name: string) => boolean) =>
  joined([...keywords.condition].filter(([name]) => isWanted(name)).map(([name, type]) => comparisonsOf(name, type)))

const contents = ['eth', 'solana', 'tron', 'bitcoin', 'tempo']
export const ofContent = named((name) => contents.includes(name))
const ofSigner = named((name) => ['wallet', 'wallet_account', 'private_key'].includes(name))

/** Comparisons that tell requests apart. Values that no request has would make most conditions false. */
const ofActivity = [
  "activity.kind == 'SIGN_TRANSACTION'",
  "activity.kind != 'SIGN_RAW_PAYLOAD'",
  "activity.action == 'SIGN'",
  "activity.type in ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2']",
  "activity.params.type == 'TRANSACTION_TYPE_ETHEREUM'",
  "activity.params.type != 'TRANSACTION_TYPE_SOLANA'",
  "activity.params.encoding == 'PAYLOAD_ENCODING_EIP712'",
]
const others = [
  "solana.tx.spl_transfers.all(t, solana.tx.instructions[0].parsed_instruction_data.instruction_name != 'a')",
  "eth.tx.data[0..10] == '0xa9059cbb'",
  "eth.tx.data[0..10] != '0xa9059cbb'",
  "spent('eth.tx.value', '24h') + eth.tx.value > 5",
  "spent('eth.tx.value', '24h') < 5",
  "['a', 'b'].any(x, x != eth.tx.to)",
  'tron.tx.contract.filter(c, c.permission_id == 0).count() == 1',
  "solana.tx.instructions.filter(i, i.program_key != 'a').any(j, j.parsed_instruction_data.instruction_name != 'b')",
]

const comparison = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ofContent.positive, ...ofContent.negative) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[...ofContent.positive, ...ofContent.negative].filter((text) => text.startsWith('eth')),
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom(...ofSigner.positive, ...ofSigner.negative) },
  { weight: 2, arbitrary: fc.constantFrom(...ofActivity) },
  { weight: 1, arbitrary: fc.constantFrom(...others) },
)
const operand = fc.oneof(
  { weight: 4, arbitrary: comparison },
  { weight: 1, arbitrary: fc.tuple(comparison, comparison).map(([one, other]) => `(${one} || ${other})`) },
  { weight: 1, arbitrary: fc.tuple(comparison, comparison).map(([one, other]) => `!(${one} && ${other})`) },
)

/** The operands of `&&` in a condition. */
export const generatedOperands = fc.array(operand, { minLength: 1, maxLength: 4 })
