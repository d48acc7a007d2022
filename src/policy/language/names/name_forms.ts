import { isStructName } from '../../../protocol/chains/eip712_names.ts'
import { message } from '../message.ts'
import { idlName, solidityName } from './declared_names.ts'
import type { Form } from './forms.ts'

type Described = Pick<Form, 'name' | 'fault'>

/** A piece is one of a name if some name begins with it, or has it behind another character. */
function nameForm(isName: (text: string) => boolean, described: Described): Form {
  return {
    ...described,
    canonical: (text) => (isName(text) ? text : undefined),
    canonicalPiece: (piece, from) => ([piece, from === 0 ? `${piece}_` : `_${piece}`].some(isName) ? piece : undefined),
  }
}

/** A name that begins with a digit is meant as bytes, and another field holds those. */
function ofDigit(field: string): NonNullable<Form['fault']> {
  return (text) => (/^\d[\w$]*$/.test(text) ? message`; no name begins with a digit: compare ${field}` : undefined)
}

/** The name of a function, without its parameters. */
export const functionName = nameForm((text) => solidityName.test(text), {
  name: message`a name of letters, digits, $ and _`,
  fault: ofDigit('function_signature'),
})

export const instructionName = nameForm((text) => idlName.test(text), {
  name: message`a name of letters, digits and _`,
  fault: ofDigit('discriminator'),
})

/** A type of EIP-712 without its members. */
export const structName = nameForm(isStructName, { name: message`the name of a struct` })
