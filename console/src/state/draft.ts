import type { ExpressionKind } from '../../../src/policy/language/names/keywords.ts'
import type { Queries } from '../api/operations.ts'

type Effect = Queries['get_policy']['result']['policy']['effect']

/** A policy as it is written, before it is saved. */
export type Draft = Readonly<Record<ExpressionKind | 'policyName' | 'notes', string>> & { readonly effect: Effect }
