import { base58 } from '@scure/base'
import Type, { type Static } from 'typebox'
import { type ActivityContext, defineActivity, type OrganizationWriter } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import { text } from '../../contract/explanation/shown_values.ts'
import { warned } from '../../contract/explanation/warnings.ts'
import {
  fields,
  Label,
  Notes,
  oneOf,
  optional,
  smartContractInterfaceCharactersMax,
} from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import type { Contradiction } from '../../policy/contracts/contradiction.ts'
import { checkEthereumAbi } from '../../policy/contracts/ethereum/ethereum_abi.ts'
import { abiContradiction } from '../../policy/contracts/ethereum/ethereum_functions.ts'
import { idlContradiction } from '../../policy/contracts/solana/solana_contradiction.ts'
import { checkSolanaIdl } from '../../policy/contracts/solana/solana_idl.ts'
import { inSteps } from '../../protocol/tools/steps.ts'
import { Failure, fieldInvalid, fieldRefused } from '../../protocol/wire/failures.ts'
import { shownInterface } from './shared/interface_changes.ts'
import { calledAddress } from './shared/smart_contract_interfaces.ts'

/** One answer, and one message to the vault, may hold all interfaces of an organization. */
const charactersOfOrganizationMax = 8_000_000

/** By the type's name on the wire: its name in the record, and the checks for such a contract. */
const contractTypes = {
  SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM: {
    type: 'ETHEREUM',
    isAddress: (text: string) => /^0x[0-9a-fA-F]{40}$/.test(text),
    addressExpected: 'an Ethereum address: 0x and 40 hex digits',
    checkInterface: checkEthereumAbi,
    contradiction: abiContradiction,
  },
  SMART_CONTRACT_INTERFACE_TYPE_SOLANA: {
    type: 'SOLANA',
    isAddress: isSolanaAddress,
    addressExpected: 'the address of a Solana program: base58 of 32 bytes',
    checkInterface: checkSolanaIdl,
    contradiction: idlContradiction,
  },
} as const

const TypeName = oneOf(['SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM', 'SMART_CONTRACT_INTERFACE_TYPE_SOLANA'])

const Parameters = fields({
  smartContractAddress: Type.String({ maxLength: 64, expected: 'the address of a contract' }),
  smartContractInterface: Type.String({
    maxLength: smartContractInterfaceCharactersMax,
    expected: `a text of at most ${smartContractInterfaceCharactersMax} characters`,
  }),
  type: TypeName,
  label: Label,
  notes: optional(Notes),
})

export default defineActivity({
  name: 'create_smart_contract_interface',
  summary:
    'Stores the ABI of an Ethereum contract or the IDL of a Solana program, so that policies can read calls to it.',
  policy: { resource: 'SMART_CONTRACT_INTERFACE', action: 'CREATE' },
  parameters: Parameters,
  result: Type.Object({ smartContractInterfaceId: Type.String() }),
  async check({ type, smartContractAddress, smartContractInterface }, pause) {
    const { isAddress, addressExpected, checkInterface } = contractTypes[type]
    if (!isAddress(smartContractAddress)) throw fieldInvalid('parameters.smartContractAddress', addressExpected)
    await inSteps<void>(checkInterface(smartContractInterface, 'parameters.smartContractInterface'), pause)
  },
  needs: () => [all('smart_contract_interface')],
  *explain({ parameters, now }) {
    const { label, notes = '', type } = parameters
    const { rows, warnings } = yield* shownInterface({ ...parameters, notes, type: contractTypes[type].type })
    const content = yield* changesContent(now, {
      ...{ code: 'create_smart_contract_interface', subject: [text(label)], rows },
    })
    return { ...content, title: warned(content.title, warnings) }
  },

  async run({ organization, parameters, newId, pause }) {
    const { type, smartContractAddress, smartContractInterface, label, notes = '' } = parameters
    requireRoom(organization, smartContractInterface)
    await requireAgreement({ organization, pause }, parameters)
    const smartContractInterfaceId = newId()
    organization.smartContractInterfaces.add({
      smartContractInterfaceId,
      smartContractAddress,
      smartContractInterface,
      type: contractTypes[type].type,
      label,
      notes,
    })
    return { smartContractInterfaceId }
  },
})

/**
 * Refuses an interface that contradicts another one of the address: what a call means must not depend on who uploaded
 * last.
 */
async function requireAgreement(
  { organization, pause }: Pick<ActivityContext<unknown>, 'organization' | 'pause'>,
  added: Static<typeof Parameters>,
): Promise<void> {
  const { type, contradiction } = contractTypes[added.type]
  const address = calledAddress({ type, smartContractAddress: added.smartContractAddress })
  const kept = organization.smartContractInterfaces
    .all()
    .filter((one) => one.type === type && calledAddress(one) === address)
  const texts = kept.map(({ smartContractInterface }) => smartContractInterface)
  const found = await inSteps<Contradiction | undefined>(contradiction(added.smartContractInterface, texts), pause)
  if (found === undefined) return
  const id = kept[found.index]?.smartContractInterfaceId
  throw fieldRefused(
    'parameters.smartContractInterface',
    `the function ${found.functionName} is declared in another way by the interface ${id} of this address: delete that interface first, or declare the function in the same way`,
  )
}

function requireRoom(
  { smartContractInterfaces }: Pick<OrganizationWriter, 'smartContractInterfaces'>,
  added: string,
): void {
  const kept = smartContractInterfaces.all()
  const characters = kept.reduce((sum, { smartContractInterface }) => sum + smartContractInterface.length, added.length)
  if (characters > charactersOfOrganizationMax) {
    throw new Failure(
      'LIMIT_REACHED',
      `the smart contract interfaces of an organization have at most ${charactersOfOrganizationMax} characters together`,
    )
  }
}

function isSolanaAddress(text: string): boolean {
  try {
    return base58.decode(text).length === 32
  } catch {
    return false
  }
}
