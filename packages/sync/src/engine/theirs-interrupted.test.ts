import { afterEach, expect, it } from 'vitest'
import { FolderUnderTest, known } from './folder-sync-under-test.ts'

let folder: FolderUnderTest
afterEach(() => folder.stop())

/** A folder whose user said that the run counts, and that was stopped before it had written the file of the run. */
async function stoppedBeforeTheFileIsWritten(): Promise<void> {
  known('old', 'newer')
  folder = new FolderUnderTest()
  folder.write('a', 'old')
  folder.write('a', 'newer')
  folder.edit({ a: 'old' })
  folder.answer = () => 'theirs'
  folder.refuses = () => ({ is: 'failed', why: 'no space left' })
  await folder.start()
  await folder.stop()
  expect(folder.asked).toMatchObject([{ is: 'first-attach' }])
  expect(folder.here).toEqual({ a: 'old' })
  folder.refuses = () => null
}

it('S2 a file that the run deletes meanwhile is not brought back by the next life', async () => {
  await stoppedBeforeTheFileIsWritten()
  folder.write('a', null)
  await folder.start()
  await folder.pass(20_000)
  expect(folder.given).toEqual([])
  expect(folder.inTheLog).toEqual({})
  expect(folder.here).toEqual({})
})

it('S2 once both sides have no such file, one that the user makes there is sent', async () => {
  await stoppedBeforeTheFileIsWritten()
  folder.write('a', null)
  folder.files.clear()
  await folder.start()
  await folder.pass(20_000)
  folder.edit({ a: 'new' })
  await folder.pass(20_000)
  expect(folder.inTheLog).toEqual({ a: 'new' })
  expect(folder.here).toEqual({ a: 'new' })
})
