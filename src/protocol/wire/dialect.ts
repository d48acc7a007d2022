/** The wording of an answer: the interface's own, or the one that clients of the hosted service require. */
export type Dialect = 'spec' | 'hosted'
