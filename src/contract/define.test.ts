import Type from 'typebox'
import { expect, test } from 'vitest'
import { defineActivity } from './define.ts'
import { fields } from './fields/fields.ts'

test('the content of parameters is parsed once for each request, and is no part of the parameters that are shown', async () => {
  const read: string[] = []
  const { types } = defineActivity({
    name: 'read_text',
    summary: 'Reads a text.',
    policy: 'rootQuorumOnly',
    parameters: fields({ text: Type.String() }),
    result: Type.Object({ words: Type.Array(Type.String()) }),
    parse(given) {
      read.push(given.text)
      return { ...given, words: given.text.split(' ') }
    },
    signaturesCount: ({ words }) => words.length,
    run: ({ parameters: { words } }) => ({ words }),
  })
  const given = { text: 'two words' }
  const bound = types[0]?.read(given)
  expect(bound?.signaturesCount).toBe(2)
  expect((await bound?.run({ organization: {} } as never))?.result).toEqual({
    readTextResult: { words: ['two', 'words'] },
  })
  expect(read).toEqual([given.text])
  expect(bound?.parameters).toEqual(given)
})
