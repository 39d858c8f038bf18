import { afterEach, describe, expect, it } from 'vitest'
import { FolderUnderTest, known } from './folder-sync-under-test.ts'
import type { SyncNote } from './sync-notes.ts'

let folder: FolderUnderTest
afterEach(() => folder.stop())

const progress = () =>
  folder.notes.filter((note): note is Extract<SyncNote, { is: 'progress' }> => note.is === 'progress')

async function inStep(): Promise<void> {
  folder = new FolderUnderTest()
  folder.edit({ f0: 'v1' })
  await folder.start()
  await folder.pass(10_000)
}

describe('a large file on its way', () => {
  const mebibyte = 1024 * 1024
  const large = 'x'.repeat(4 * mebibyte)

  it('is reported as its bytes leave, a few times a second at most, and a small one is not', async () => {
    await inStep()
    folder.isAway = true
    folder.edit({ large, small: 's' })
    await folder.pass(1000)
    const [big, small] = ['large', 'small'].map((name) => folder.given.find(({ path }) => path === name)!)
    expect(small!.onBytes).toBeUndefined()
    for (const n of [1, 2]) big!.onBytes!(n * mebibyte)
    await folder.pass(300)
    big!.onBytes!(3 * mebibyte)
    const told = progress().filter(({ up }) => up)
    expect(told.map(({ up }) => up)).toEqual([
      { bytes: mebibyte, of: 4 * mebibyte },
      { bytes: 3 * mebibyte, of: 4 * mebibyte },
    ])
    expect(told[0]).toMatchObject({ toSend: 2, sent: 0 })
    folder.comeBack()
    await folder.pass(1000)
    folder.isAway = true
    folder.edit({ f0: 'v2' })
    await folder.pass(1000)
    folder.edit({ f0: 'v3' })
    await folder.pass(1000)
    expect(progress().at(-1)!.up).toBeUndefined()
  })

  it('is reported as its bytes arrive', async () => {
    await inStep()
    known(large)
    folder.pieces = async function* () {
      for (let n = 0; n < 4; n += 1) {
        await folder.passing(300)
        yield new Uint8Array(mebibyte)
      }
    }
    folder.write('large', large)
    await folder.pass(5000)
    expect(folder.here.large).toBe(large)
    expect(progress().flatMap(({ down }) => down ?? [])).toEqual(
      [1, 2, 3, 4].map((n) => ({ bytes: n * mebibyte, of: 4 * mebibyte })),
    )
  })
})
