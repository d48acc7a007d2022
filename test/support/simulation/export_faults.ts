import type { VaultAnswer } from '../../../src/link/verbs.ts'
import type { Books } from '../../../src/vault/books/books.ts'
import type { Fault } from './faults.ts'
import type { Verbs } from './node.ts'

/** Faults that only an auditor of an organization's export finds, with the words that name each of them. */
export const exportFaults: readonly Fault[] = [
  {
    name: 'a decision that is entered with another outcome',
    says: /it has the status ACTIVITY_STATUS_REJECTED, and by the rules of that time ACTIVITY_STATUS_COMPLETED/,
    lastFoundBy: 16,
    isLying: false,
    plants: () => ({ books: enteringRejections }),
  },
  {
    name: 'an export without a decided activity',
    says: /the document of version 1 of activity [0-9a-f-]+ is missing/,
    lastFoundBy: 1,
    isLying: false,
    plants: () => ({ vault: withoutFirst('list_log_documents', 'documents') }),
  },
  {
    name: 'an export without a bundle',
    says: /is missing: it stands at .*, hidden behind a hash|of the organization’s entries are missing before it/,
    lastFoundBy: 16,
    isLying: false,
    plants: () => ({ vault: withoutFirst('list_log_entries', 'bundles') }),
  },
]

/** Books that enter what was done as rejected, unless it made a head. */
function enteringRejections(books: Books): Books {
  return {
    ...books,
    enter: (facts) =>
      books.enter(
        facts.map((fact) => ({
          ...fact,
          activity: fact.activity && { ...fact.activity, status: 'ACTIVITY_STATUS_REJECTED' },
        })),
      ),
  }
}

/** A vault that leaves the first item of a list out of the answers to a query. */
function withoutFirst(query: string, list: string): (vault: Verbs) => Verbs {
  return (vault) => ({
    ...vault,
    async answer(request): Promise<VaultAnswer> {
      const answer = await vault.answer(request)
      if (answer.kind !== 'answer' || answer.status !== 200 || !request.path.endsWith(query)) return answer
      const body = JSON.parse(Buffer.from(answer.body).toString('utf8'))
      return { ...answer, body: Buffer.from(JSON.stringify({ ...body, [list]: body[list].slice(1) })) }
    },
  })
}
