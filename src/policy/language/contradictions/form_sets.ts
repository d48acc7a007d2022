import type { ActivityForm } from '../names/activity_forms.ts'

/** A set of activities: a bit for each form. A long condition asks for hundreds of sets. */
export type Forms = bigint

/** Sets of these forms. `expected`: those that a rule means without naming their kind. */
export function formSets(of: readonly ActivityForm[]) {
  const formsWith = (isSo: (form: ActivityForm) => boolean): Forms =>
    of.reduce((forms, form, bit) => (isSo(form) ? forms | (1n << BigInt(bit)) : forms), 0n)
  return {
    formsWith,
    all: formsWith(() => true),
    expected: formsWith(({ isRare }) => isRare !== true),
    formsIn: (forms: Forms) => of.filter((_, bit) => (forms & (1n << BigInt(bit))) !== 0n),
  }
}
