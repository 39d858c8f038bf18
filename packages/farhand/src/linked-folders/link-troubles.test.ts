import { expect, it } from 'vitest'
import { testContext } from '../context/command-context-under-test.ts'
import { commandsFor } from './link-troubles.ts'

const link = { folder: '/project', url: 'http://hub' }
const context = testContext({
  home: '/home/ada',
  platform: 'linux',
  env: {},
  called: { farhand: 'f', hub: 'f hub' },
})

it('commands to copy name the state folder only where it is not the one that is taken anyway', () => {
  expect(commandsFor(link, { state: '/elsewhere' }, context).unlink).toBe(
    'f unlink /project --state /elsewhere',
  )
  expect(commandsFor(link, { state: '/home/ada/.local/state/farhand' }, context).unlink).toBe(
    'f unlink /project',
  )
  expect(commandsFor(link, {}, context).link).toBe('f link /project')
})
