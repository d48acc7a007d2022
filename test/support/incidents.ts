import { expect } from 'vitest'
import type { Server } from './in_process.ts'

type Answer = Awaited<ReturnType<Server['post']>>

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** Expects a 500 that says nothing about the inside and whose id leads to the cause in the log. */
export function expectIncident(server: Server, answer: Answer, asked: string): void {
  expect(answer, asked).toEqual({
    status: 500,
    body: {
      code: 13,
      message: expect.stringMatching(new RegExp(`^internal server error \\(${uuid}\\)$`)),
      details: [],
    },
  })
  const incidentId = answer.body.message.slice('internal server error ('.length, -1)
  expect(server.incidents, asked).toContainEqual([
    expect.objectContaining({
      incidentId,
      error: { name: 'IntegrityError', message: expect.stringMatching(`organization ${uuid}`) },
    }),
    'internal server error',
  ])
}
