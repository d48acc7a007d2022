/**
 * Letters and digits beyond ASCII that look like one of ASCII, by their code points: those of Unicode 15.0 whose skeleton is
 * ASCII (UTS #39, confusables.txt), as ICU 72 computes it, without those that are equal to ASCII in another style (NFKC), and
 * with U+03BA, U+04CE, U+051A and U+053C. Unicode writes `rn` for `m` there.
 */
const codePointsOf: readonly (readonly [look: string, codePoints: string])[] = [
  ['2', '1a7 3e8 14bf a644 a6ef a75a'],
  ['3', '1b7 21c 417 4e0 2ccc a76a a7ab 118ca 16f3b'],
  ['4', '13ce 118af'],
  ['5', '1bc 118bb'],
  ['6', '431 13ee 2cd2 118d5'],
  ['7', '104d2 118c6'],
  ['8', '222 223 9ea a6a 1031a 1e8cb'],
  ['9', '9ed a67 b68 d6d 2cca a76e 118ac 118cc 118d6'],
  ['A', '391 410 13aa 15c5 a4ee 102a0 16f40'],
  ['B', '392 412 13f4 15f7 a4d0 a7b4 10282 102a1 10301'],
  ['C', '421 13df 2ca4 a4da 102a2 10302 10415 1051c 118e9 118f2'],
  ['D', '13a0 15de 15ea a4d3'],
  ['E', '395 415 13ac 2d39 a4f0 10286 118a6 118ae'],
  ['F', '3dc 15b4 a4dd a798 10287 102a5 10525 118a2 118c2'],
  ['G', '50c 13c0 13f3 a4d6'],
  ['H', '397 41d 13bb 157c 2c8e a4e7 102cf'],
  ['J', '37f 408 13ab 148d a4d9 a7b2'],
  ['K', '39a 41a 13e6 16d5 2c94 a4d7 10518'],
  ['L', '53c 13de 14aa 2cd0 a4e1 1041b 10526 118a3 118b2 16f16'],
  ['M', '39c 3fa 41c 13b7 15f0 16d6 2c98 a4df 102b0 10311'],
  ['N', '39d 2c9a a4e0 10513'],
  ['O', '39f 41e 555 7c0 9e6 b20 b66 12d0 2c9e 2d54 3007 a4f3 10292 102ab 10404 104c2 10516 114d0 118b5 118e0'],
  ['P', '3a1 420 13e2 146d 2ca2 a4d1 10295'],
  ['Q', '51a 2d55'],
  ['R', '1a6 13a1 13d2 1587 a4e3 104b4 16f35'],
  ['S', '405 54f 13d5 13da a4e2 10296 10420 16f3a'],
  ['T', '3a4 422 13a2 2ca6 a4d4 10297 102b1 10315 118bc 16f0a'],
  ['U', '54d 1200 144c a4f4 104ce 118b8 16f42'],
  ['V', '474 667 6f7 13d9 142f 2d38 a4e6 a6df 1051d 118a0 16f08'],
  ['W', '51c 13b3 13d4 a4ea 118e6 118ef'],
  ['X', '3a7 425 16b7 2cac 2d5d a4eb a7b3 10290 102b4 10317 10322 10527 118ec'],
  ['Y', '3a5 423 4ae 13a9 13bd 2ca8 a4ec 102b2 118a4 16f43'],
  ['Z', '396 13c3 a4dc 102f5 118a9 118e5'],
  ['a', '251 3b1 430'],
  ['b', '184 42c 13cf 1472 15af'],
  ['c', '441 1d04 2ca5 abaf 1043d'],
  ['d', '501 13e7 146f a4d2'],
  ['e', '435 4bd ab32'],
  ['f', '584 1e9d a799 ab35'],
  ['g', '18d 261 581 1d83'],
  ['h', '4bb 570 13c2'],
  ['i', '131 269 26a 3b9 456 4cf 13a5 a647 ab75 118c3'],
  ['j', '3f3 458'],
  ['k', '3ba'],
  ['l', '196 1c0 399 406 4c0 5d5 5df 627 661 6f1 7ca 16c1 2c92 2d4f a4f2 1028a 10309 10320 16f28 1e8c7'],
  ['n', '578 57c'],
  [
    'o',
    '3bf 3c3 43e 585 5e1 647 665 6be 6c1 6d5 6f5 966 a66 ae6 be6 c66 ce6 d20 d66 e50 ed0 101d 1040 10ff 1d0f 1d11 2c9f ab3d 1042c 104ea 118c8 118d7',
  ],
  ['p', '3c1 440 2ca3'],
  ['q', '51b 563 566'],
  ['r', '433 1d26 2c85 ab47 ab48 ab81'],
  ['m', '4ce 11700 118e3'],
  ['s', '1bd 455 a731 abaa 10448 118c1'],
  ['u', '28b 3c5 57d 1d1c a79f ab4e ab52 104f6 118d8'],
  ['v', '3bd 475 5d8 1d20 aba9 11706 118c0'],
  ['w', '26f 461 51d 561 1d21 ab83 1170a 1170e 1170f'],
  ['x', '445 1541 157d'],
  ['y', '263 28f 3b3 443 4af 10e7 1d8c 1eff ab5a 118dc'],
  ['z', '1d22 ab93 118c4'],
]

const looks: ReadonlyMap<string, string> = new Map(
  codePointsOf.flatMap(([look, codePoints]) =>
    codePoints.split(' ').map((one) => [String.fromCodePoint(Number.parseInt(one, 16)), look] as const),
  ),
)

/** The letter or digit of ASCII that a character beyond ASCII looks like, or undefined if there is none. */
export function asciiLookOf(character: string): string | undefined {
  return looks.get(character)
}
