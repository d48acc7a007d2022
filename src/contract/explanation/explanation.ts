import type { NoteCode } from './codes/note_codes.ts'
import type { SectionKind } from './codes/section_kinds.ts'

/**
 * The meaning of an activity, as `explain_activity` answers it. A console and a notice are made of the same explanation.
 * Web pages read this file too.
 */
export type Explanation = {
  readonly activityId: string
  readonly organizationId: string
  readonly type: string
  readonly status: string
  readonly title: Title
  readonly sections: readonly Section[]
}

/**
 * `code` stands for a sentence of ours, into which the values go (`title_texts.ts`, or else the name of the
 * operation). `warnings`: what a reader must know before anything else, the worst first. A title is never shown without
 * its first warning.
 */
export type Title = {
  readonly code: string
  readonly values: readonly Value[]
  readonly warnings?: readonly Note[]
}

export type Section = { readonly kind: SectionKind; readonly rows: readonly Row[] }

/** `label` is a word of ours: a code of `labels` in `label_texts.ts`, or the name of a field. `name` was set by others. */
export type Row = { readonly label: string; readonly value: Value } | { readonly name: string; readonly value: Value }

export type Value =
  /** Set by somebody, or the name of a known function. Never a word of ours. `characters`: how long a cut one is. */
  | { readonly kind: 'text'; readonly text: string; readonly characters?: number }
  /** A word of ours, or a value of an enum of the interface. */
  | { readonly kind: 'code'; readonly code: string }
  /** A whole number in decimals. */
  | { readonly kind: 'number'; readonly number: string }
  /**
   * An amount of money. `units` and `unit` are absent if the number of decimals is not known, as it is for every token.
   * `token`: the address of the token's contract or mint.
   */
  | {
      readonly kind: 'amount'
      readonly smallest: string
      readonly smallestUnit?: string
      readonly units?: string
      readonly unit?: string
      readonly token?: string
    }
  /** A chain. `caip2` is absent if the content does not say on which network it is valid. */
  | { readonly kind: 'chain'; readonly name?: string; readonly caip2?: string }
  /**
   * An address on a chain. If it is the organization's own, `name` is the name of its wallet or private key, and
   * `account` that of the account in the wallet.
   */
  | { readonly kind: 'address'; readonly address: string; readonly name?: string; readonly account?: string }
  /** Something that has an id here. `name` was set by somebody. Absent: it has none, or does not exist any more. */
  | { readonly kind: 'id'; readonly id: string; readonly of?: string; readonly name?: string }
  | { readonly kind: 'duration'; readonly seconds: number }
  /** ISO 8601, in UTC. */
  | { readonly kind: 'time'; readonly at: string }
  /** `bytes`: the size of the whole. `isCut`: only its beginning is in `hex`. */
  | { readonly kind: 'hex'; readonly hex: string; readonly bytes: number; readonly isCut?: true }
  | { readonly kind: 'tree'; readonly rows: readonly Row[] }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  | { readonly kind: 'change'; readonly from: Value; readonly to: Value }
  | Note
  /** So many more follow, which are not shown, with their sum if they have one. */
  | { readonly kind: 'leftOut'; readonly count: number; readonly sum?: Value }

/** A part that could not be decoded, or that a reader must know. `values` go into its sentence. `detail` is English. */
export type Note = {
  readonly kind: 'note'
  readonly code: NoteCode
  readonly values?: readonly Value[]
  readonly detail?: string
}
