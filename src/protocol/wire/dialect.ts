/** The wording of an answer: the interface's own, or what clients of the hosted service insist on. */
export type Dialect = 'spec' | 'hosted'
