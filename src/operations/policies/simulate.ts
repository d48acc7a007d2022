import { defineQuery } from '../define.ts'
import { checkSimulation, SimulationParameters, SimulationResult } from '../simulation.ts'

export default defineQuery({
  name: 'simulate',
  summary: 'What the rules say of a request, or would have said of past activities with another policy, and why.',
  parameters: SimulationParameters,
  result: SimulationResult,
  check: checkSimulation,
  run: ({ parameters, simulate }) => simulate(parameters),
})
