/** Somebody of whom a condition names nothing. */
export const stranger = '\0stranger'

/** More than anybody who sends little means. */
export const much = 10n ** 27n
