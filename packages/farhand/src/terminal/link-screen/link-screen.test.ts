import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import { describe, expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { jsonScreen, textScreen } from './link-screen.ts'

const note = (note: unknown) => note as SyncNote
const sent = (path: string) => note({ is: 'sent', path, deed: 'modified', eventId: 1 })
const names = { farhand: 'farhand', self: 'dev_here0000', pathFor: (path: string) => path }

describe('what a person sees', () => {
  it('is a line for each change only after the first sync', () => {
    const context = testContext()
    const screen = textScreen(context, names, 0)
    screen.note(note({ is: 'scanning', files: 2, bytes: 10, done: true }))
    screen.note(sent('a'))
    screen.note(note({ is: 'in-step', files: 2, cursor: 1 }))
    screen.note(sent('b'))
    screen.note(note({ is: 'in-step', files: 2, cursor: 2 }))
    screen.close()
    expect(context.ran()).toEqual({ out: 'sent 1\nin step: 2 files\n→ b\n', notes: '' })
  })

  it('on a terminal is also how things stand, in a line at the bottom that goes in the end', () => {
    const context = testContext({ terminal: true })
    const screen = textScreen(context, names, 0)
    screen.note(note({ is: 'progress', toSend: 3, sent: 1, toApply: 0, applied: 0 }))
    expect(context.ran().notes).toBe('\r\x1b[K→ 1 of 4 files')
    screen.note(note({ is: 'in-step', files: 4, cursor: 1 }))
    expect(context.ran().notes).toMatch(/in step: 4 files$/)
    screen.close()
    expect(context.ran().notes.endsWith('\r\x1b[K')).toBe(true)
    expect(context.ran().out).toBe('')
  })

  it('is how far a large file is, both ways, and numbers are written as everywhere else', () => {
    const mebibyte = 1024 * 1024
    const shown = (progress: object) => {
      const context = testContext({ terminal: true })
      const screen = textScreen(context, names, 0)
      screen.note(note({ is: 'progress', toSend: 0, sent: 0, toApply: 0, applied: 0, ...progress }))
      const { notes } = context.ran()
      screen.close()
      return notes.replace('\r\x1b[K', '')
    }
    const up = { bytes: 41.4 * mebibyte, of: 95 * mebibyte }
    expect(shown({ toSend: 1, up })).toBe('→ 0 of 1 file, 41 of 95 MiB')
    const down = { bytes: 0.25 * mebibyte, of: 2000 * mebibyte }
    expect(shown({ toApply: 2, applied: 1998, down })).toBe('← 1,998 of 2,000 files, 0 of 2 GiB')
    expect(shown({ toSend: 1, toApply: 1952, applied: 2000, up })).toBe(
      '→ 0 of 1 file, 41 of 95 MiB   ← 2,000 of 3,952 files',
    )
  })

  it('where nothing can be written over is how far a large file is now and then, and not for every step', () => {
    const context = testContext()
    const screen = textScreen(context, names, 0)
    const up = (bytes: number) =>
      note({ is: 'progress', toSend: 1, sent: 0, toApply: 0, applied: 0, up: { bytes, of: 9e7 } })
    for (let n = 1; n < 80; n += 1) screen.note(up(n * 1e6))
    screen.close()
    expect(context.ran().out).toBe('→ 0 of 1 file, 1 of 86 MiB\n')
  })

  it('says in one line what was done before the user looked', () => {
    const context = testContext()
    const screen = textScreen(context, names, 0)
    for (const path of ['a', 'b']) screen.note(sent(path))
    screen.note(note({ is: 'applied', path: 'c', deed: 'created', by: null }))
    screen.note(note({ is: 'in-step', files: 3, cursor: 1 }))
    screen.close()
    expect(context.ran().out).toBe('sent 2, took in 1\nin step: 3 files\n')
  })

  it('is painted again only when it says something else, and not too often', () => {
    const progress = (sent: number) => note({ is: 'progress', toSend: 3, sent, toApply: 0, applied: 0 })
    const painted = (repaintMs: number) => {
      const context = testContext({ terminal: true })
      const screen = textScreen(context, names, repaintMs)
      for (const sent of [1, 1, 2]) screen.note(progress(sent))
      const { notes } = context.ran()
      screen.close()
      return notes
    }
    expect(painted(0)).toBe('\r\x1b[K→ 1 of 4 files\r\x1b[K→ 2 of 5 files')
    expect(painted(1_000_000)).toBe('\r\x1b[K→ 1 of 4 files')
  })

  it('S4 is a few lines for many versions that gave way at once, also before the first sync is over', () => {
    const context = testContext()
    const screen = textScreen(context, { ...names, state: '/my state' }, 0)
    const entry = { mode: '100644', hash: 'sha256_1' }
    const kept = (n: number) => note({ is: 'kept', path: `src/${n}`, entry, why: 'replaced', eventId: n })
    for (let n = 0; n < 45; n += 1) screen.note(kept(n))
    screen.note(note({ is: 'in-step', files: 45, cursor: 1 }))
    screen.close()
    const lines = context.ran().out.trim().split('\n')
    expect(lines.filter((line) => line.includes('your version gave way'))).toHaveLength(8)
    expect(lines.slice(8)).toEqual([
      "! src/  37 more files gave way here and are kept: `farhand history <path> --state '/my state'` names every version",
      '45 kept',
      'in step: 45 files',
    ])
  })

  it('S9 names what is not synced once, and nothing as ignored that is synced after all', () => {
    const context = testContext()
    const screen = textScreen(context, names, 0)
    const skipped = (path: string, why: string) => note({ is: 'skipped', skip: { path, why } })
    for (const _ of [1, 2]) screen.note(skipped('big', 'too-large'))
    for (const path of ['.env', 'log']) screen.note(skipped(path, 'ignored'))
    screen.note(note({ is: 'applied', path: '.env', deed: 'created', by: null }))
    for (const _ of [1, 2]) screen.note(note({ is: 'in-step', files: 1, cursor: 1 }))
    screen.note(skipped('log', 'ignored'))
    screen.close()
    expect(context.ran().out.match(/^· \S+/gm)).toEqual(['· big', '· log'])
  })

  it('S9 names a file that is left for its size again if that has changed', () => {
    const context = testContext()
    const screen = textScreen(context, names, 0)
    const left = (size: number) => note({ is: 'skipped', skip: { path: 'big', why: 'too-large', size } })
    for (const size of [51, 51, 90, 90]) screen.note(left(size * 1024 * 1024))
    screen.close()
    expect(context.ran().out.match(/\d+ MiB/g)).toEqual(['51 MiB', '90 MiB'])
  })

  it('S9 S13 counts what the run has and this folder leaves out, and names it anew if it was synced meanwhile', () => {
    const context = testContext()
    const screen = textScreen(context, names, 0)
    const grown = note({ is: 'skipped', skip: { path: 'big', why: 'too-large', size: 1 }, inRun: true })
    screen.note(grown)
    screen.note(note({ is: 'in-step', files: 307, cursor: 1, waiting: 0, leftOut: 1, onlyHere: 2 }))
    screen.note(grown)
    screen.note(sent('big'))
    screen.note(grown)
    screen.close()
    expect(context.ran().out).toMatch(
      /^! big .*\nin step: 307 files, 1 left out, 2 only here\n→ big\n! big .*\n$/,
    )
  })

  it('S14 is how things stand again, in place of a question that was withdrawn', async () => {
    const context = testContext({ terminal: true })
    const screen = textScreen(context, names, 0)
    let withdraw = (_: Error) => {}
    const asked = screen.whileAsking(() => new Promise((_, reject) => (withdraw = reject)))
    screen.note(note({ is: 'in-step', files: 4, cursor: 1, waiting: 0, leftOut: 0 }))
    expect(context.ran().notes).toBe('')
    withdraw(new Error('withdrawn'))
    await expect(asked).rejects.toThrow('withdrawn')
    expect(context.ran().notes).toBe('\r\x1b[K\r\x1b[Kin step: 4 files')
    screen.close()
  })

  it('is honest about the connection: since when it is gone, and when it is tried again', () => {
    const context = testContext({ terminal: true })
    const screen = textScreen(context, names, 0)
    const retryAt = Date.now() + 4500
    screen.note(note({ is: 'connection', state: { is: 'offline', why: 'no hub answers', retryAt } }))
    screen.note(note({ is: 'connection', state: { is: 'connecting' } }))
    screen.note(note({ is: 'connection', state: { is: 'offline', why: 'no hub answers', retryAt } }))
    expect(context.ran().notes).toMatch(
      /offline since .*, trying again in [45] s; changes here are kept for later$/,
    )
    screen.note(note({ is: 'progress', toSend: 2, sent: 0, toApply: 0, applied: 0 }))
    expect(context.ran().notes).toMatch(/trying again in [45] s; 2 changes here are kept for later$/)
    screen.note(note({ is: 'connection', state: { is: 'live' } }))
    screen.close()
    expect(context.ran().out).toBe('! offline: no hub answers\nconnected again\n')
  })

  it('does not call it offline when the log is read again and something still waits for its next try', () => {
    const context = testContext({ terminal: true })
    const screen = textScreen(context, names, 0)
    const state = { is: 'offline', why: 'no hub answers', retryAt: Date.now() + 4500 }
    screen.note(note({ is: 'in-step', files: 4, cursor: 1, waiting: 0, leftOut: 0 }))
    screen.note(note({ is: 'connection', state }))
    screen.note(note({ is: 'connection', state: { ...state, listening: true } }))
    expect(context.ran().notes).toMatch(
      /connected; what could not be sent or fetched waits, trying again in [45] s$/,
    )
    screen.note(note({ is: 'connection', state: { is: 'connecting' } }))
    screen.note(note({ is: 'connection', state: { is: 'live' } }))
    expect(context.ran().notes).toMatch(/in step: 4 files$/)
    screen.close()
    expect(context.ran().out).toBe('! offline: no hub answers\nconnected again\n')
  })
})

it('S4 programs get a line for each version that gave way, however many', () => {
  const context = testContext()
  const screen = jsonScreen(context, {})
  for (let n = 0; n < 45; n += 1)
    screen.note(note({ is: 'kept', path: `src/${n}`, entry: {}, why: 'replaced', eventId: n }))
  screen.close()
  expect(context.ran().out.trim().split('\n')).toHaveLength(45)
})

it('programs get a line for each note, and one when folder and run are the same for the first time', () => {
  const context = testContext()
  const screen = jsonScreen(context, { run: 'run_1' })
  screen.note(sent('a'))
  screen.note(note({ is: 'in-step', files: 1, cursor: 5 }))
  screen.note(note({ is: 'in-step', files: 1, cursor: 6 }))
  screen.close()
  const told = context.ran().out.trim().split('\n')
  expect(told.map((line) => JSON.parse(line))).toEqual([
    { event: 'sent', path: 'a', deed: 'modified', eventId: 1 },
    { event: 'in-step', files: 1, cursor: 5 },
    { event: 'ready', run: 'run_1', files: 1, cursor: 5 },
    { event: 'in-step', files: 1, cursor: 6 },
  ])
})
