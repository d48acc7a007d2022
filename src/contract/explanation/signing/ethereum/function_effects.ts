import type { HeldCalls } from './held_calls.ts'

/** How many owners of a contract are enough afterwards, and which one is none any more. */
type Owners = { readonly needs?: string; readonly loses?: string }

/** The effect of a call of a known function, and on whom, by the names of its parameters. */
export type Effect =
  /**
   * Control of the contract, or of the one that `of` names. Without `to`, nobody has it afterwards. `endsByZero`: address zero
   * takes it from whoever has it, and gives it to nobody.
   */
  | ({ readonly does: 'giveControl'; readonly to?: string; readonly of?: string; readonly endsByZero?: true } & Owners)
  /** Others decide afterwards, or fewer. */
  | ({ readonly does: 'changeControl' } & Owners)
  /** Consent to what only a hash names. */
  | { readonly does: 'consent' }
  /** Consent to the transaction with this number, or its execution. Only the contract has its content. */
  | { readonly does: 'consentTo'; readonly id: string }
  /** Somebody owes so much of a token from then on, or owes less. */
  | { readonly does: 'makeDebt' | 'payDebt'; readonly to: string; readonly amount: string; readonly token: string }
  /**
   * Tokens of the contract, or of the one that `token` names. `id`: the number of a single token, or of one of several
   * kinds. Without `amount` and `id`, they are those that `list` names.
   */
  | {
      readonly does: 'giveTokens'
      readonly to: string
      readonly list?: string
      readonly amount?: string
      readonly id?: string
      readonly token?: string
    }
  /** ERC-4626: so much of the token that a vault holds, its shares for so much of it, or what it gives for so many shares. */
  | ({ readonly does: 'giveOfVault'; readonly to: string } & (
      | { readonly assets: string }
      | { readonly sharesFor: string }
      | { readonly assetsFor: string }
    ))
  /** The right to spend such tokens. Without `amount`, it is everything, as long as the flag `allowed` is set. */
  | {
      readonly does: 'letSpend'
      readonly to: string
      readonly amount?: string
      readonly id?: string
      readonly allowed?: string
      readonly token?: string
    }
  /** Where there is a flag `allowed`, only if it is set. */
  | { readonly does: 'letMoveAll'; readonly to: string; readonly allowed?: string }
  /** The fees that accounts pay for the execution of their operations, which `list` names. */
  | { readonly does: 'payFees'; readonly to: string; readonly list: string }
  | { readonly does: 'makeTokens'; readonly to: string; readonly amount: string }
  /**
   * Tokens of the account that `of` names, or of the caller. `amount` may be the number of a single token where
   * `isTokenId`.
   */
  | {
      readonly does: 'destroyTokens'
      readonly of?: string
      readonly amount?: string
      readonly id?: string
      readonly isTokenId?: true
    }

export const control = (to?: string, of?: string): Extract<Effect, { readonly does: 'giveControl' }> => ({
  does: 'giveControl',
  ...(to === undefined ? {} : { to }),
  ...(of === undefined ? {} : { of }),
})
export const otherControl = { does: 'changeControl' } as const

/** A function by its declaration in the standard: what a call of it does, and how the calls in it are found. */
export type FunctionRow = {
  readonly declaration: string
  readonly effect?: Effect
  readonly calls?: HeldCalls
  /** Whether another account than the called contract makes the calls, or they spend what others leave there. */
  readonly callsBy?: 'others'
}
