import { expect, test } from 'vitest'
import { compileCondition } from '../../decision/policy_expressions.ts'
import { solanaHarmsFor } from './solana_harms.ts'

const token = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const harmsOf = (text: string) => solanaHarmsFor(compileCondition(text).root).filter(({ program }) => program === token)

test('a condition gets samples of what it can tell apart, and of programs that it writes', () => {
  const ofToken = `solana.tx.program_keys.all(p, p == '${token}')`
  const data = 'solana.tx.instructions[0].instruction_data_hex'
  const starts = (text: string) => harmsOf(text).map(({ start }) => start)
  expect(starts('solana.tx.transfers.count() == 1')).toEqual(expect.arrayContaining(['03', '09']))
  for (const few of ['solana.tx.transfers.count() == 1', ofToken, `${ofToken} && ${data}[0..2] in ['06', '0c']`])
    expect(starts(few).length).toBeLessThan(10)
  expect(starts(`${ofToken} && ${data}[0..2] in ['06', '0c']`)).toEqual(expect.arrayContaining(['03', '06', '0c']))
  for (const beyond of [`${data}[6..70] == '${'ab'.repeat(32)}'`, `${data} == '06'`, `${data}[0] == '0'`])
    expect(starts(`${ofToken} && ${beyond}`).length).toBeGreaterThan(15)
})
