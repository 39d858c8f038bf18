import { expect, it } from 'vitest'
import { worldOf } from '../context/world-under-test.ts'
import { commandsFor } from './link-troubles.ts'

const link = { folder: '/project', url: 'http://hub' }
const world = worldOf({
  home: '/home/ada',
  platform: 'linux',
  env: {},
  called: { farhand: 'f', hub: 'f hub' },
})

it('commands to copy name the state folder only where it is not the one that is taken anyway', () => {
  expect(commandsFor(link, { state: '/elsewhere' }, world).unlink).toBe(
    'f unlink /project --state /elsewhere',
  )
  expect(commandsFor(link, { state: '/home/ada/.local/state/farhand' }, world).unlink).toBe(
    'f unlink /project',
  )
  expect(commandsFor(link, {}, world).link).toBe('f link /project')
})
