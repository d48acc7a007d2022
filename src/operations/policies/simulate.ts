import { defineQuery } from '../../contract/define.ts'
import { checkSimulation, SimulationParameters, SimulationResult } from '../../contract/simulation.ts'

export default defineQuery({
  name: 'simulate',
  isOwn: true,
  summary: 'Simulates how the rules decide a request, or past activities under a changed policy, and says why.',
  takesLong: true,
  parameters: SimulationParameters,
  result: SimulationResult,
  check: checkSimulation,
  run: ({ parameters, simulate }) => simulate(parameters),
})
