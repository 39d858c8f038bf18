import { expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { commandsFor, stopTrouble } from './link-troubles.ts'

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
const linked = {
  folder: '/my/project',
  at: { run: 'run_1' },
  wins: 'disk',
  memory: '/state/links/x/run_1',
} as const

it('what the system refuses is told with the name of the folder, not with numbers of ours', () => {
  const error = Object.assign(new Error("EROFS: read-only file system, open '/proc/self/fd/29/lock.ec5c'"), {
    code: 'EROFS',
  })
  const trouble = stopTrouble(error, linked, { link: 'farhand link /my/project', unlink: 'u', anew: 'a' })
  expect(trouble).toMatchObject({
    message: 'Stopped: the system says EROFS in /my/project.',
    nextStep:
      'That disk is mounted read-only: let it be written again; then `farhand link /my/project` goes on.',
  })
})

it('what was remembered of a folder and is gone is told as that, with how to link it anew', () => {
  const error = Object.assign(new Error('ENOENT'), { code: 'ENOENT', path: '/state/links/x/run_1/notes-2' })
  const trouble = stopTrouble(error, linked, { link: 'l', unlink: 'u', anew: 'farhand link here' })
  expect(trouble?.message).toContain('what was remembered of this folder is gone')
  expect(trouble?.nextStep).toContain('`farhand link here --run run_1` links it anew')
})
