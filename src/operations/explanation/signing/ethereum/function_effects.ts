/** What a call of a known function does, and to whom, by the names of its parameters. */
export type Effect =
  /**
   * Control of the contract, or of the one that `of` names. Without `to`, nobody has it afterwards. `endsByZero`: address zero
   * takes it from whoever has it, and gives it to nobody.
   */
  | { readonly does: 'giveControl'; readonly to?: string; readonly of?: string; readonly endsByZero?: true }
  /** Others decide afterwards, or fewer. */
  | { readonly does: 'changeControl' }
  /** Consent to what only a hash names. */
  | { readonly does: 'consent' }
  /**
   * Tokens of the contract, or of the one that `token` names. `id`: the number of a single token, or of one of several
   * kinds. Without `amount` and `id`, they are those that lists name.
   */
  | {
      readonly does: 'giveTokens'
      readonly to: string
      readonly amount?: string
      readonly id?: string
      readonly token?: string
    }
  /** The right to spend such tokens. Without `amount`, it is everything, as long as the flag `allowed` is set. */
  | {
      readonly does: 'letSpend'
      readonly to: string
      readonly amount?: string
      readonly allowed?: string
      readonly token?: string
    }
  | { readonly does: 'letMoveAll'; readonly to: string }
  /** What the accounts pay for the execution of their operations. */
  | { readonly does: 'payFees'; readonly to: string }
  | { readonly does: 'makeTokens'; readonly to: string; readonly amount: string }
  /**
   * Those of the account that `of` names, or of the caller. `amount` may be the number of a single token where
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
export const otherControl: Effect = { does: 'changeControl' }
