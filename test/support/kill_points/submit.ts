import * as original from '../../../src/service/requests/submit.ts'
import { reached } from './points.ts'

export function createSubmit(
  parts: Parameters<typeof original.createSubmit>[0],
): ReturnType<typeof original.createSubmit> {
  const { store } = parts
  const submit = original.createSubmit({
    ...parts,
    store: {
      ...store,
      async commit(commit) {
        const outcome = await store.commit(commit)
        if (outcome === 'committed') reached('committed')
        return outcome
      },
    },
  })
  return async (request) => {
    const answer = await submit(request)
    if (answer.status === 200 && request.path.includes('/submit/')) reached('answered')
    return answer
  }
}
