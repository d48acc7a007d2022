import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { repositoryFolder } from '../../../test/support/running_server.ts'
import { commandName } from './command_name.ts'

test('a checkout has the command at hand, and npm finds it elsewhere', () => {
  expect([commandName(repositoryFolder), commandName(tmpdir())]).toEqual(['bin/claviger', 'npx claviger'])
})
