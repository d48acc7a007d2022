/** The names that interfaces may declare. An upload takes no others, so a rule about another one never applies. */

/** A name of Solidity: of a function, an argument, an event or an error. */
export const solidityName = /^[a-z$_][\w$]*$/i

/**
 * A name of an IDL: of an instruction, an account, an argument or a field. The names of accounts in groups are joined,
 * each with those of all its groups, so that long ones would fill memory.
 */
export const idlName = /^[a-z_]\w{0,255}$/i

/** An account in a group has the names of its groups before its own, with dots between. */
export const idlAccountName = /^[a-z_]\w*(\.[a-z_]\w*)*$/i
