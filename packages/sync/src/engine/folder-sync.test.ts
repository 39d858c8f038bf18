import { afterEach, describe, expect, it } from 'vitest'
import { file } from '../hub/run-under-test.ts'
import { FolderUnderTest, known } from './folder-sync-under-test.ts'
import type { SyncNote, SyncQuestion } from './sync-notes.ts'

let folder: FolderUnderTest
afterEach(() => folder.stop())

const many = (count: number, text: string | null, from = 0): Record<string, string | null> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${from + n}`, text && `${text} ${from + n}`]))

async function inStep(count: number): Promise<FolderUnderTest> {
  folder = new FolderUnderTest()
  folder.edit(many(count, 'v1'))
  await folder.start()
  expect(Object.keys(folder.inTheLog)).toHaveLength(count)
  await folder.pass(10_000)
  return folder
}
const said = <Is extends SyncNote['is']>(is: Is) =>
  folder.notes.filter((note): note is Extract<SyncNote, { is: Is }> => note.is === is)

describe('a file that cannot be read when it is sent', () => {
  it('S5 is looked at again by itself and sent, although nothing is reported', async () => {
    folder = new FolderUnderTest({}, { bytesAtHand: false })
    folder.unreadable = 3
    folder.edit({ a: 'A' })
    await folder.start()
    expect(said('in-step')).toEqual([])
    await folder.pass(10_000)
    expect(folder.inTheLog).toEqual({ a: 'A' })
    expect(said('in-step')).toHaveLength(1)
  })
})

describe('files that go while they are still on their way', () => {
  it('S13 are counted with the others, and the user is asked before any of them is sent', async () => {
    await inStep(40)
    folder.isAway = true
    folder.edit(many(40, 'v2'))
    await folder.pass(1500)
    folder.edit(many(40, null))
    await folder.pass(3000)
    folder.comeBack()
    await folder.pass(10_000)
    expect(folder.asked).toMatchObject([{ is: 'vanished', gone: { count: 40 }, of: 40, all: true }])
    expect(folder.inTheLog).toEqual(many(40, 'v2'))
  })

  it.each([0.1, 0.2, 0.3, 0.5, 0.7, 1])(
    'S13 are asked about although the clock moves on between two looks at it (%d ms)',
    async (creepMs) => {
      await inStep(40)
      folder.earlyMs = 1
      folder.creepMs = creepMs
      folder.edit(many(40, null))
      await folder.pass(10_000)
      expect(folder.asked).toMatchObject([{ is: 'vanished', gone: { count: 40 } }])
      expect(Object.keys(folder.inTheLog)).toHaveLength(40)
    },
  )

  it('S13 new ones that the log has never had are counted too', async () => {
    await inStep(1)
    folder.isAway = true
    folder.edit(many(40, 'v1', 1))
    await folder.pass(1500)
    folder.edit(many(40, null, 1))
    folder.comeBack()
    await folder.pass(10_000)
    expect(folder.asked).toMatchObject([{ is: 'vanished', gone: { count: 40 }, of: 41 }])
  })

  it('S13 come back, all of them, if that is the answer', async () => {
    await inStep(40)
    folder.answer = () => 'bring-back'
    folder.isAway = true
    folder.edit(many(40, 'v2'))
    await folder.pass(100)
    folder.edit(many(40, null))
    await folder.pass(100)
    folder.comeBack()
    await folder.pass(20_000)
    expect(folder.asked).toHaveLength(1)
    expect(folder.here).toEqual(many(40, 'v2'))
  })
})

describe('files that go in small waves', () => {
  it('S13 are not asked about one by one, but once they are more than half', async () => {
    await inStep(40)
    for (let from = 0; from < 40; from += 3) {
      folder.edit(many(Math.min(3, 40 - from), null, from))
      await folder.pass(500)
    }
    await folder.pass(10_000)
    const [asked] = folder.asked as Extract<SyncQuestion, { is: 'vanished' }>[]
    expect(folder.asked).toMatchObject([{ is: 'vanished' }])
    expect(asked!.of + asked!.before).toBe(40)
    expect(Object.keys(folder.inTheLog).length).toBeGreaterThanOrEqual(18)
  })

  it.each([
    ['long before', 10_000, 0],
    ['right before', 500, 100],
  ])('S13 are counted by what there was when they went, if others were deleted %s', async (_, ms, before) => {
    await inStep(307)
    folder.edit(many(100, null))
    await folder.pass(ms)
    expect(Object.keys(folder.inTheLog)).toHaveLength(207)
    folder.edit(many(201, null, 100))
    await folder.pass(10_000)
    expect(folder.asked).toMatchObject([{ is: 'vanished', gone: { count: 201 }, of: 207, before }])
  })

  it('S13 are gone, and not moved, although their contents have just been sent', async () => {
    await inStep(40)
    folder.edit({ f0: null })
    await folder.pass(200)
    folder.edit(many(39, 'v2', 1))
    await folder.pass(200)
    folder.edit(many(39, null, 1))
    await folder.pass(10_000)
    expect(folder.asked).toMatchObject([{ is: 'vanished', gone: { count: 39 }, of: 39, all: true }])
  })

  it('S13 are asked about once: a user who has confirmed them is not asked about the rest', async () => {
    await inStep(40)
    folder.answer = () => 'delete'
    for (let from = 0; from < 40; from += 4) {
      folder.edit(many(4, null, from))
      await folder.pass(500)
    }
    await folder.pass(10_000)
    expect(folder.asked.length).toBeLessThanOrEqual(2)
    expect(folder.inTheLog).toEqual({})
  })

  it('are ordinary work when other work lies between them', async () => {
    await inStep(40)
    for (let from = 0; from < 36; from += 3) {
      folder.edit(many(3, null, from))
      await folder.pass(60_000)
    }
    expect(folder.asked).toEqual([])
    expect(Object.keys(folder.inTheLog)).toHaveLength(4)
  })

  it('are ordinary work when they had only just been made, however many', async () => {
    await inStep(20)
    for (let n = 0; n < 60; n += 1) {
      folder.edit({ [`temporary ${n}`]: `${n}` })
      await folder.pass(200)
      folder.edit({ [`temporary ${n}`]: null })
      await folder.pass(200)
    }
    await folder.pass(10_000)
    expect(folder.asked).toEqual([])
    expect(folder.inTheLog).toEqual(many(20, 'v1'))
  })

  it('are ordinary work when they turn up elsewhere', async () => {
    await inStep(40)
    for (let n = 0; n < 40; n += 2) {
      folder.edit({
        [`f${n}`]: null,
        [`g${n}`]: `v1 ${n}`,
        [`f${n + 1}`]: null,
        [`g${n + 1}`]: `v1 ${n + 1}`,
      })
      await folder.pass(300)
    }
    expect(folder.asked).toEqual([])
    expect(Object.keys(folder.inTheLog).every((path) => path.startsWith('g'))).toBe(true)
  })
})

describe('a folder that has forgotten the run it wrote to', () => {
  const meeting = async (answer: 'mine' | 'theirs') => {
    known('old', 'theirs', 'mine', 'only theirs', 'base', 'there')
    folder = new FolderUnderTest({ base: 'base', 'base-gone': 'base' })
    folder.writeAsBefore('both', 'old')
    folder.writeAsBefore('both', 'theirs')
    folder.writeAsBefore('only-theirs', 'only theirs')
    folder.writeAsBefore('deleted', 'old')
    folder.writeAsBefore('deleted', null)
    folder.edit({ both: 'mine', deleted: 'old', base: 'mine' })
    folder.answer = () => answer
    await folder.start()
    await folder.pass(20_000)
    expect(folder.asked).toMatchObject([{ is: 'first-attach' }])
  }

  it('S11 counts where both have a file, takes the rest and deletes nothing of the run: --mine', async () => {
    await meeting('mine')
    const all = { both: 'mine', 'only-theirs': 'only theirs', deleted: 'old', base: 'mine' }
    expect(folder.inTheLog).toEqual(all)
    expect(folder.here).toEqual({ ...all, 'base-gone': 'base' })
  })

  it('S11 gives way where both have a file, also to what the run began with: --theirs', async () => {
    await meeting('theirs')
    expect(folder.here).toMatchObject({ both: 'theirs', 'only-theirs': 'only theirs', base: 'base' })
    expect(folder.here['base-gone']).toBe('base')
    expect(said('kept').map(({ path }) => path)).toEqual(expect.arrayContaining(['both', 'base']))
  })

  it('S11 keeps its files when the run has none any more, also those that the run once had', async () => {
    folder = new FolderUnderTest()
    folder.write('a', 'old')
    folder.write('a', null)
    folder.edit({ a: 'old' })
    await folder.start()
    await folder.pass(20_000)
    expect(folder.here).toEqual({ a: 'old' })
    expect(folder.inTheLog).toEqual({ a: 'old' })
  })

  it('S11 remembers nothing before the user has answered', async () => {
    folder = new FolderUnderTest()
    folder.writeAsBefore('a', 'theirs')
    folder.edit({ a: 'mine' })
    await folder.start()
    folder.writeAsBefore('b', 'theirs')
    await folder.pass(1000)
    expect(folder.asked).toHaveLength(1)
    expect(folder.remembered).toBeNull()
  })
})

describe('the reported state', () => {
  it('is in step, with how many files could not be written for what is in their way', async () => {
    known('A', 'B')
    folder = new FolderUnderTest()
    folder.refuses = ({ path }) => (path === 'a/b' ? { is: 'skipped', why: 'in-the-way' } : null)
    await folder.start()
    folder.write('a/b', 'A')
    folder.write('c', 'B')
    await folder.pass(1000)
    expect(said('in-step').at(-1)).toMatchObject({ files: 2, waiting: 1 })
    folder.refuses = () => null
    folder.edit({ a: null })
    await folder.pass(1000)
    expect(said('in-step').at(-1)).toMatchObject({ files: 2, waiting: 0 })
    expect(folder.here).toEqual({ 'a/b': 'A', c: 'B' })
  })

  it('S6 a change that found something else is tried again, although nothing is reported', async () => {
    known('A')
    folder = new FolderUnderTest()
    let times = 2
    folder.refuses = () => (times-- > 0 ? { is: 'changed' } : null)
    await folder.start()
    folder.write('a', 'A')
    await folder.pass(60_000)
    expect(folder.here).toEqual({ a: 'A' })
  })

  it('is once that changes are found by scanning alone, and again for another reason', async () => {
    await inStep(1)
    for (const blind of ['few', 'few', 'full', undefined, 'full']) {
      folder.report(blind === undefined ? {} : { blind })
      await folder.pass(10)
    }
    expect(said('blind').map(({ why }) => why)).toEqual(['few', 'full', 'full'])
  })

  it('names the very event that each file became', async () => {
    await inStep(3)
    const named = said('sent').map(({ path, eventId }) => [path, eventId])
    const events = folder.events.map(({ id, notification }) => [notification.params?.path, id])
    expect(named).toEqual(events)
  })
})

it('S8 a run that is closed ends its folders, which say how much of them is not in it', async () => {
  await inStep(3)
  folder.isAway = true
  folder.edit(many(2, 'late'))
  await folder.pass(10)
  folder.isClosed = true
  folder.comeBack()
  expect(await folder.ended).toEqual({ unsent: 2 })
})

describe('a conflict', () => {
  it('S2 is reported once by a folder that was away and wins, and not again after a crash', async () => {
    await inStep(2)
    await folder.stop()
    folder.write('f0', 'far')
    folder.files.set('f0' as never, 'near')
    const before = structuredClone(folder.remembered)
    await folder.start()
    expect(folder.inTheLog.f0).toBe('near')
    expect(said('conflict')).toMatchObject([
      { path: 'f0', here: 'won', eventId: 3, lost: { kind: 'runner' } },
    ])
    await folder.stop()
    folder.remembered = { ...before!, witness: folder.remembered!.witness ?? null }
    await folder.start()
    expect(said('conflict')).toHaveLength(1)
  })

  it('S2 says that the file was deleted here, if it was, also when the other one came later', async () => {
    await inStep(2)
    folder.edit({ f0: null })
    await folder.pass(5000)
    folder.write('f0', 'far')
    folder.events.at(-1)!.notification.params!.was = file('v1 0')
    await folder.pass(1000)
    expect(said('conflict')).toMatchObject([{ path: 'f0', here: 'won', isGone: true }])
    folder.edit({ f1: 'near' })
    await folder.pass(5000)
    folder.write('f1', 'far')
    folder.events.at(-1)!.notification.params!.was = file('v1 1')
    await folder.pass(1000)
    expect(said('conflict').at(-1)).toMatchObject({ path: 'f1', here: 'won', isGone: false })
  })

  it('S11 of others, or from before this folder met the run, is not reported', async () => {
    known('near')
    folder = new FolderUnderTest()
    folder.write('a', 'far')
    folder.events.at(-1)!.notification.params!.was = null
    folder.writeAsBefore('a', 'near')
    folder.events.at(-1)!.notification.params!.was = null
    await folder.start()
    expect(said('conflict')).toEqual([])
  })
})

describe('a file that is left out', () => {
  const tooLarge = (path: string, size: number) => ({ path, why: 'too-large' as const, size })

  it('S9 S13 is reported as one that the run has, and counted for as long as it is left out', async () => {
    await inStep(2)
    folder.report({ skipped: [tooLarge('f0', 60_000_000), tooLarge('new', 60_000_000)] })
    await folder.pass(1000)
    expect(said('skipped')).toMatchObject([
      { skip: { path: 'f0' }, inRun: true },
      { skip: { path: 'new' }, inRun: false },
    ])
    expect(said('in-step').at(-1)).toMatchObject({ files: 2, leftOut: 1, onlyHere: 1 })
    folder.write('new', 'of somebody else')
    await folder.pass(1000)
    expect(said('in-step').at(-1)).toMatchObject({ files: 3, leftOut: 2, onlyHere: 0 })
    folder.edit({ f0: 'v2' })
    await folder.pass(1000)
    expect(said('in-step').at(-1)).toMatchObject({ files: 3, leftOut: 1 })
  })

  it('S13 is deleted in the run if the run has only its beginning, and the user is not asked about it', async () => {
    await inStep(2)
    const before = said('sent').length
    folder.report({ skipped: [{ ...tooLarge('f0', 60_000_000), grew: true }, tooLarge('f1', 60_000_000)] })
    await folder.pass(1000)
    expect(folder.events.at(-1)!.notification.params).toMatchObject({ path: 'f0', action: 'deleted' })
    expect(said('sent').slice(before)).toMatchObject([{ path: 'f0', deed: 'deleted' }])
  })

  it('S9 is counted as one that is only here until it has gone, unless a rule leaves it out', async () => {
    await inStep(1)
    folder.report({ skipped: [tooLarge('big', 60_000_000), { path: 'log', why: 'ignored' }] })
    await folder.pass(1000)
    expect(said('in-step').at(-1)).toMatchObject({ files: 1, leftOut: 0, onlyHere: 1 })
    folder.edit({ big: null })
    await folder.pass(1000)
    expect(said('in-step').at(-1)).toMatchObject({ files: 1, leftOut: 0, onlyHere: 0 })
  })

  it('S9 is not reported if the limit of the run allows it: the disk was scanned before the limit was known', async () => {
    await inStep(1)
    folder.setLimit(200_000_000)
    await folder.pass(10)
    folder.report({ skipped: [tooLarge('big', 60_000_000), tooLarge('huge', 300_000_000)] })
    await folder.pass(1000)
    expect(said('skipped').map(({ skip }) => skip.path)).toEqual(['huge'])
  })
})

describe('a checkout', () => {
  it.each([
    ['changes files', many(3, 'v2')],
    ['removes a few', many(3, null)],
    ['removes many, which looks like a burst of deletions', many(15, null)],
    ['changes some and removes many', { ...many(15, null), ...many(3, 'v2', 20) }],
  ])('S14 that %s is asked about before any of it is sent', async (_, files) => {
    await inStep(40)
    folder.edit({ f39: 'v2' }, 'main')
    await folder.pass(10_000)
    const before = folder.given.length
    folder.edit(files, 'other')
    await folder.pass(10_000)
    expect(folder.asked).toMatchObject([{ is: 'head-moved', changes: { count: Object.keys(files).length } }])
    expect(folder.given).toHaveLength(before)
  })
})
