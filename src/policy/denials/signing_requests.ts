import { payloadEncodings } from '../../protocol/chains/payload_names.ts'
import type { Struct } from '../language/expression_values.ts'
import { activityKindOf, exposedParameters, withoutVersion } from '../language/names/activity_types.ts'
import { ethereumCallFields, lackedByEthereumType, lackedByTronType } from '../language/names/variants.ts'

/** Requests to sign something, of which conditions see the same fields. */
export type SigningRequests = {
  /** For people, in the plural. */
  readonly name: string
  /** The name of the requests of which these are a part. Without it they are all of an activity or of a chain. */
  readonly partOf?: string
  readonly shapes: readonly Shape[]
  /**
   * Conditions that are true of every such request. `types` are those of the shapes, if they have types. The first one
   * says which activities they are about, so that a denial with them has nothing to report itself.
   */
  readonly clauses: (types: readonly string[]) => readonly string[]
  /** The other requests of which the clauses are true, for people. */
  readonly alsoDenies?: string
}

/** The fields of a request that conditions see, and those that they do not see. */
export type Shape = {
  /** The type of the transaction or contract, if the shape is that of one type. */
  readonly type?: string
  /** The values that such a request always has. A list in it is complete. */
  readonly known: Struct
  /** The fields that it has, with everything below them but what it `hides` and `lacks`. */
  readonly present: readonly string[]
  /** Nobody can tell what these fields would hold, such as the arguments of a call that no interface decodes. */
  readonly hides: readonly string[]
  /** There is nothing that these fields could hold, such as the argument of a call where nothing is called. */
  readonly lacks: readonly string[]
  /** Those of the fields above that equal nothing in a denial, so that `!=` is true of such a request. */
  readonly nothing: readonly string[]
  /** `spent` has a sum for the key. */
  readonly spends: boolean
}

export const resource = 'PRIVATE_KEY'
export const action = 'SIGN'
const transactionActivities = ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2', 'ACTIVITY_TYPE_SIGN_TRANSACTION']
const payloadsActivity = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS'
const payloadActivities = ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD', payloadsActivity]
/** Every type of activity that signs with a key of the organization. */
export const signingActivities: readonly string[] = [...transactionActivities, ...payloadActivities]

/** A control has a value in every signature but those that its own filter leaves out. */
export const velocityControls = 'controls'

type ShapeMembers = Partial<Pick<Shape, 'type' | 'hides' | 'lacks' | 'nothing'>> & {
  readonly params: Readonly<Record<string, string>>
  readonly content?: string
  readonly known?: Struct
}

function shapesOf(types: readonly string[], given: ShapeMembers): Shape[] {
  const { params, content, known = {}, hides = [], lacks = [], nothing = [], ...typed } = given
  return types.map((type) => {
    const kind = activityKindOf(type) ?? ''
    const seen = [
      'type',
      'kind',
      'resource',
      'action',
      ...[...exposedParameters(kind).keys()].map((name) => `params.${name}`),
    ]
    const named = seen.map((name) => `activity.${name}`)
    return {
      ...typed,
      known: { activity: { type: withoutVersion(type), kind, resource, action, params }, ...known },
      present: [...named, velocityControls, ...(content === undefined ? [] : [content])],
      hides,
      lacks,
      nothing,
      spends: transactionActivities.includes(type),
    }
  })
}

/** The encodings of bytes that are not read. The same bytes may have both. */
export const unread: readonly string[] = ['PAYLOAD_ENCODING_HEXADECIMAL', 'PAYLOAD_ENCODING_TEXT_UTF8']

const inTypedData = (field: string) => `eth.eip_712.${field}`

const payloads: readonly SigningRequests[] = [
  {
    name: 'raw payloads',
    shapes: unread.flatMap((encoding) => shapesOf(payloadActivities, { params: { encoding } })),
    clauses: () => [`activity.params.encoding in [${quotedAll(unread)}]`],
  },
  {
    name: 'several payloads in one request',
    shapes: payloadEncodings.flatMap((encoding) => shapesOf([payloadsActivity], { params: { encoding } })),
    clauses: () => [`activity.kind == 'SIGN_RAW_PAYLOADS'`],
    alsoDenies: 'requests of that kind with a single payload',
  },
  payloadForm('typed data', { encoding: 'PAYLOAD_ENCODING_EIP712', content: 'eth.eip_712' }),
  payloadForm('authorizations of EIP-7702', {
    encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
    content: 'eth.eip_7702_authorization',
  }),
  {
    ...payloadForm('typed data without the member', { encoding: 'PAYLOAD_ENCODING_EIP712', content: 'eth.eip_712' }),
    partOf: 'typed data',
    shapes: ["message['", 'domain.name', 'domain.version', 'domain.verifying_contract']
      .map(inTypedData)
      .flatMap((path) =>
        shapesOf(payloadActivities, {
          params: { encoding: 'PAYLOAD_ENCODING_EIP712' },
          content: 'eth.eip_712',
          lacks: [path],
          nothing: path.startsWith(inTypedData('domain')) ? [path] : [],
        }),
      ),
    alsoDenies: 'typed data with the member',
  },
]

function payloadForm(name: string, { encoding, content }: { encoding: string; content: string }): SigningRequests {
  return {
    name,
    shapes: shapesOf(payloadActivities, { params: { encoding }, content }),
    clauses: () => [`activity.params.encoding == '${encoding}'`],
  }
}

const chains = {
  Ethereum: { type: 'TRANSACTION_TYPE_ETHEREUM', content: 'eth.tx' },
  Solana: { type: 'TRANSACTION_TYPE_SOLANA', content: 'solana.tx' },
  Tron: { type: 'TRANSACTION_TYPE_TRON', content: 'tron.tx' },
  Bitcoin: { type: 'TRANSACTION_TYPE_BITCOIN', content: 'bitcoin.tx' },
} as const
type Chain = keyof typeof chains

function transactionShapes(chain: Chain, given: Omit<ShapeMembers, 'params' | 'content'> = {}): Shape[] {
  const { type, content } = chains[chain]
  return shapesOf(transactionActivities, { params: { type }, content, ...given })
}

const nameOf = (chain: Chain) => `${chain} transactions`
const clauseOf = (chain: Chain) => `activity.params.type == '${chains[chain].type}'`

const transactions = (Object.keys(chains) as Chain[]).map(
  (chain): SigningRequests => ({
    name: nameOf(chain),
    shapes: transactionShapes(chain),
    clauses: () => [clauseOf(chain)],
  }),
)

const inEthereum = (field: string) => `eth.tx.${field}`
const callNames = ethereumCallFields.map(inEthereum)
/** No function that an interface declares has another name. */
const namesOfFunction = ['function_name', 'function_signature'].map(inEthereum)
/** In a denial, an older type has its `gas_price` there. */
const feesByPrice: readonly string[] = ['max_fee_per_gas', 'max_priority_fee_per_gas']

const partsOfEthereum: readonly SigningRequests[] = [
  {
    name: 'Ethereum transactions without data',
    partOf: nameOf('Ethereum'),
    shapes: transactionShapes('Ethereum', { known: { eth: { tx: { data: '0x' } } }, lacks: callNames }),
    clauses: () => [clauseOf('Ethereum'), "eth.tx.data == '0x'"],
  },
  {
    name: 'Ethereum calls that no uploaded interface decodes with that name',
    partOf: nameOf('Ethereum'),
    shapes: transactionShapes('Ethereum', { hides: callNames, nothing: namesOfFunction }),
    clauses: () => [clauseOf('Ethereum'), "eth.tx.data != '0x'"],
    alsoDenies: 'calls that an interface decodes',
  },
  {
    name: 'Ethereum transactions of a type without the field',
    partOf: nameOf('Ethereum'),
    shapes: Object.entries(lackedByEthereumType).flatMap(([type, lacks]) =>
      transactionShapes('Ethereum', {
        type,
        known: { eth: { tx: { type } } },
        lacks: lacks.filter((field) => !feesByPrice.includes(field)).map(inEthereum),
      }),
    ),
    clauses: (types) => [clauseOf('Ethereum'), `eth.tx.type in [${quotedAll(types)}]`],
  },
]

const parsedData = 'parsed_instruction_data'
const partsOfSolana: readonly SigningRequests[] = [
  {
    name: 'Solana transactions with instructions that no uploaded interface decodes with that name',
    partOf: nameOf('Solana'),
    shapes: transactionShapes('Solana', { hides: items('solana.tx.instructions', [parsedData]) }),
    clauses: () => [clauseOf('Solana')],
    alsoDenies: 'Solana transactions that interfaces decode',
  },
]

const contracts = 'tron.tx.contract'
/** A permission that an update leaves as it is, is no field of the update. */
const leftAsItIs = 'AccountPermissionUpdateContract'
const partsOfTron: readonly SigningRequests[] = [
  {
    name: 'Tron contracts of a type without the field',
    partOf: nameOf('Tron'),
    shapes: Object.entries(lackedByTronType).flatMap(([type, lacks]) =>
      transactionShapes('Tron', { type, known: tronContract(type), lacks: items(contracts, lacks) }),
    ),
    clauses: (types) => [clauseOf('Tron'), `${contracts}.any(c, c.type in [${quotedAll(types)}])`],
  },
  {
    name: 'Tron permission updates that leave this permission as it is',
    partOf: nameOf('Tron'),
    shapes: ['owner', 'witness'].flatMap((name) =>
      transactionShapes('Tron', { known: tronContract(leftAsItIs), lacks: items(contracts, [name]) }),
    ),
    clauses: () => [clauseOf('Tron'), `${contracts}.any(c, c.type == '${leftAsItIs}')`],
    alsoDenies: 'permission updates that change it',
  },
]

/** All that signs with a key of the organization, for a denial that names the key and nothing of what is signed. */
export const anySignature: SigningRequests = {
  name: 'signatures of all kinds',
  shapes: [
    ...Object.values(chains).flatMap(({ type }) => shapesOf(transactionActivities, { params: { type } })),
    ...payloadEncodings.flatMap((encoding) => shapesOf(payloadActivities, { params: { encoding } })),
  ],
  clauses: () => [`activity.action == '${action}'`],
}

/** All requests that sign with a key of the organization. Parts come after the requests of which they are a part. */
export const signingRequests: readonly SigningRequests[] = [
  ...payloads,
  ...transactions,
  ...partsOfEthereum,
  ...partsOfSolana,
  ...partsOfTron,
]

/** A field of the items of a list, as tests over the list (`[*]`) and accesses by an index (`[i]`) read it. */
function items(list: string, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => [`${list}[*].${name}`, `${list}[i].${name}`])
}

function tronContract(type: string): Struct {
  return { tron: { tx: { contract: [{ type }] } } }
}

function quotedAll(texts: readonly string[]): string {
  return texts.map((text) => `'${text}'`).join(', ')
}
