import { existsSync } from 'node:fs'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { post } from '@farhand/client/post/post'
import { describe, expect, it } from 'vitest'
import { hashOf } from './folder-tree.ts'
import { bothWays, foldersOnAHub } from './two-folders.ts'

const linked = foldersOnAHub()

describe.each(bothWays)('the $here was away', ({ here, there }) => {
  it('S8 what was edited, made, moved and deleted meanwhile on both sides is all there afterwards', async () => {
    const folders = await linked()
    await folders.begin({
      'edited.txt': '1',
      'edited-there.txt': '1',
      'deleted.txt': '1',
      'deleted-there.txt': '1',
      'moved.txt': 'moved',
      'f/a.txt': 'a',
      'f/b.txt': 'b',
    })
    await folders[here].stop()
    folders[here].write('edited.txt', '2')
    folders[here].remove('deleted.txt')
    folders[here].rename('moved.txt', 'elsewhere/moved.txt')
    folders[here].rename('f', 'g')
    folders[there].write('edited-there.txt', '2')
    folders[there].write('new-there.txt', 'new')
    folders[there].remove('deleted-there.txt')
    await folders.settled()
    expect([...(await folders.startAll()).keys()].sort()).toEqual([
      'edited-there.txt',
      'edited.txt',
      'elsewhere/moved.txt',
      'g/a.txt',
      'g/b.txt',
      'new-there.txt',
    ])
    expect([folders[there].read('edited.txt'), folders[here].read('edited-there.txt')]).toEqual(['2', '2'])
  })

  it('S12 and comes back after ten thousand events about its files', async () => {
    const folders = await linked()
    const { hub, run } = folders
    await folders.begin({ 'mine.txt': 'mine' })
    await folders[here].stop()
    const second = { ...hub, deviceId: 'dev_secondlaptop' }
    const texts = ['odd', 'even']
    await uploadBlobs(
      second,
      run,
      texts.map((text) => ({ hash: hashOf(text), size: text.length, open: () => Buffer.from(text) })),
    )
    const said = Array.from({ length: 10_000 }, (_, n) => {
      const round = Math.floor(n / 100)
      const entry = { mode: '100644', hash: hashOf(texts[round % 2]!) }
      const was = round === 0 ? null : { mode: '100644', hash: hashOf(texts[(round + 1) % 2]!) }
      const params = { path: `news/${n % 100}.txt`, action: was ? 'modified' : 'created', ...entry, was }
      return { jsonrpc: '2.0' as const, method: '_posthog/file_sync', params }
    })
    for (let n = 0; n < said.length; n += 1000) await post(second, run, said.slice(n, n + 1000))
    folders[here].write('mine.txt', 'edited meanwhile')
    const tree = await folders.startAll()
    expect(tree.size).toBe(101)
    expect([folders[here].read('news/7.txt'), folders[there].read('mine.txt')]).toEqual([
      'even',
      'edited meanwhile',
    ])
  })

  it('S7 and nothing happened: neither side writes anything when it is back', async () => {
    const folders = await linked()
    await folders.begin({ 'a.txt': 'a', 'f/b.txt': 'b' })
    const about = async () =>
      (await folders.events()).filter(({ notification: { method } }) => method.includes('file')).length
    const before = await about()
    for (let n = 0; n < 3; n++) {
      await folders.stopAll()
      await folders.startAll()
    }
    expect(await about()).toBe(before)
    expect(folders[here].notes.filter(({ is }) => is === 'kept')).toEqual([])
  })

  it('S2 an old agreed version that the user puts back by hand is an edit', async () => {
    const folders = await linked()
    await folders.begin({ 'a.txt': 'one', 'b.txt': 'b' })
    for (const text of ['two', 'three']) {
      folders[there].write('a.txt', text)
      await folders.settled()
    }
    await folders[here].stop()
    folders[here].write('a.txt', 'one')
    await folders.startAll()
    expect(folders[there].read('a.txt')).toBe('one')
    expect(existsSync(folders[there].at('b.txt'))).toBe(true)
  })
})
