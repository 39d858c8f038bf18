import type { SyncNote } from '@farhand/sync/sync-notes'
import { describe, expect, it } from 'vitest'
import { jsonScreen, textScreen } from './link-screen.ts'
import { worldOf } from './world-under-test.ts'

const note = (note: unknown) => note as SyncNote
const sent = (path: string) => note({ is: 'sent', path, deed: 'modified', eventId: 1 })
const names = { farhand: 'farhand', self: 'dev_here0000', pathFor: (path: string) => path }

describe('what a person sees', () => {
  it('is a line for each change only after the first sync', () => {
    const world = worldOf()
    const screen = textScreen(world, names)
    screen.note(note({ is: 'scanning', files: 2, bytes: 10, done: true }))
    screen.note(sent('a'))
    screen.note(note({ is: 'in-step', files: 2, cursor: 1 }))
    screen.note(sent('b'))
    screen.note(note({ is: 'in-step', files: 2, cursor: 2 }))
    screen.close()
    expect(world.ran()).toEqual({ out: 'in step: 2 files\n→ b\n', notes: '' })
  })

  it('on a terminal is also how things stand, in a line at the bottom that goes in the end', () => {
    const world = worldOf({ terminal: true })
    const screen = textScreen(world, names)
    screen.note(note({ is: 'progress', toSend: 3, sent: 1, toApply: 0, applied: 0 }))
    expect(world.ran().notes).toBe('\r\x1b[K→ 1 of 4')
    screen.note(note({ is: 'in-step', files: 4, cursor: 1 }))
    expect(world.ran().notes).toMatch(/in step: 4 files$/)
    screen.close()
    expect(world.ran().notes.endsWith('\r\x1b[K')).toBe(true)
    expect(world.ran().out).toBe('')
  })

  it('is honest about the connection: since when it is gone, and when it is tried again', () => {
    const world = worldOf({ terminal: true })
    const screen = textScreen(world, names)
    const retryAt = Date.now() + 4500
    screen.note(note({ is: 'connection', state: { is: 'offline', why: 'nobody answers', retryAt } }))
    screen.note(note({ is: 'connection', state: { is: 'connecting' } }))
    screen.note(note({ is: 'connection', state: { is: 'offline', why: 'nobody answers', retryAt } }))
    expect(world.ran().notes).toMatch(
      /offline since .*, trying again in [45] s; changes here are kept for later$/,
    )
    screen.note(note({ is: 'connection', state: { is: 'live' } }))
    screen.close()
    expect(world.ran().out).toBe('! offline: nobody answers\nconnected again\n')
  })
})

it('programs get a line for each note, and one when folder and run are the same for the first time', () => {
  const world = worldOf()
  const screen = jsonScreen(world, { run: 'run_1' })
  screen.note(sent('a'))
  screen.note(note({ is: 'in-step', files: 1, cursor: 5 }))
  screen.note(note({ is: 'in-step', files: 1, cursor: 6 }))
  screen.close()
  const told = world.ran().out.trim().split('\n')
  expect(told.map((line) => JSON.parse(line))).toEqual([
    { event: 'sent', path: 'a', deed: 'modified', eventId: 1 },
    { event: 'in-step', files: 1, cursor: 5 },
    { event: 'ready', run: 'run_1', files: 1, cursor: 5 },
    { event: 'in-step', files: 1, cursor: 6 },
  ])
})
