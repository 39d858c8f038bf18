import { appendFileSync, closeSync, existsSync, openSync, truncateSync, writeSync } from 'node:fs'
import { post } from '@farhand/client/post/post'
import { describe, expect, inject, it } from 'vitest'
import { treeOf } from './folder-tree.ts'
import { bothWays, foldersOnAHub, type TwoFolders } from './two-folders.ts'

const linked = foldersOnAHub()
const mega = 1024 * 1024

const limit = ({ hub, run }: TwoFolders, maxFileBytes: number) =>
  post(hub, run, { jsonrpc: '2.0', method: '_posthog/sync_settings', params: { maxFileBytes } })

function changeOneByte(file: string, at: number): void {
  const handle = openSync(file, 'r+')
  writeSync(handle, '!', at)
  closeSync(handle)
}

describe.each(bothWays)('sizes on the $here', ({ here, there }) => {
  it('S2 a large file is synced, and so is a change of one byte of it', async () => {
    const folders = await linked()
    const bytes = (inject('long') ? 200 : 20) * mega
    await limit(folders, 300 * mega)
    await folders.begin()
    folders[here].write('large.bin', Buffer.alloc(bytes, 'large '))
    await folders.settled()
    for (const at of [0, bytes / 2, bytes - 1]) {
      changeOneByte(folders[here].at('large.bin'), at)
      await folders.settled()
    }
    folders[here].rename('large.bin', 'renamed/large.bin')
    const tree = await folders.settled()
    expect([...tree.keys()].sort()).toEqual(['kept.txt', 'renamed/large.bin'])
    expect(treeOf(folders[there].root)).toEqual(tree)
  }, 300_000)

  it.each(['that runs', 'that was off meanwhile'])(
    'S13 half of a file that grows beyond the limit does not stay in the run, of a link %s',
    async (which) => {
      const folders = await linked()
      await limit(folders, 1000)
      await folders.begin({ 'kept.txt': 'kept' })
      folders[here].write('grows.bin', 'half '.repeat(100))
      await folders.settled()
      if (which !== 'that runs') await folders[here].stop()
      appendFileSync(folders[here].at('grows.bin'), 'the other half '.repeat(100))
      if (which !== 'that runs') await folders[here].start()
      await folders.heard(
        folders[there],
        'applied',
        ({ path, deed }) => path === 'grows.bin' && deed === 'deleted',
      )
      expect(existsSync(folders[there].at('grows.bin'))).toBe(false)
      expect(folders[here].read('grows.bin')).toHaveLength(2000)
      // Once it may be as large as it is, all of it goes.
      await limit(folders, 10_000)
      await folders.settled()
      expect(folders[there].read('grows.bin')).toHaveLength(2000)
    },
  )

  it('S9 S13 a file above the limit stays here, is reported, and is not deleted there', async () => {
    const folders = await linked()
    await limit(folders, 1000)
    await folders.begin({ 'grows.txt': 'small', 'kept.txt': 'kept' })
    folders[here].replace('grows.txt', 'x'.repeat(2000))
    folders[here].write('born-large.txt', 'y'.repeat(2000))
    folders[here].write('after.txt', 'after')
    for (const path of ['grows.txt', 'born-large.txt'])
      await folders.heard(
        folders[here],
        'skipped',
        ({ skip }) => skip.path === path && skip.why === 'too-large',
      )
    await folders.heard(folders[there], 'applied', ({ path }) => path === 'after.txt')
    expect(folders[there].read('grows.txt')).toBe('small')
    truncateSync(folders[here].at('grows.txt'), 10)
    folders[here].remove('born-large.txt')
    await folders.settled()
    expect(folders[there].read('grows.txt')).toBe('x'.repeat(10))
  })

  it('S9 a file that was too large is synced once the limit is raised, and an empty file is synced', async () => {
    const folders = await linked()
    await limit(folders, 1000)
    await folders.begin()
    folders[here].write('empty', '')
    folders[here].write('large.txt', 'y'.repeat(2000))
    await folders.heard(folders[here], 'skipped', ({ skip }) => skip.path === 'large.txt')
    await limit(folders, 10_000)
    await folders.settled()
    expect(folders[there].read('large.txt')).toBe('y'.repeat(2000))
    expect(folders[there].read('empty')).toBe('')
  })
})
