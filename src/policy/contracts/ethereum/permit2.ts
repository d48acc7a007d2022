/**
 * Permit2 of Uniswap, at the same address on each chain that has it. It moves every token that a key ever allowed to it,
 * and lets others do so. Source: https://github.com/Uniswap/permit2
 */
export const permit2 = '0x000000000022d473030f116ddee9f6b43ac78ba3'
