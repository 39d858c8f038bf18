import { rmdirSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DiskSync } from './disk-sync.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'farhand-disk-sync-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

describe('syncing a folder', () => {
  /** Takes every place at the gate, so that nothing else can begin yet. */
  const busy = (sync: DiskSync) => [sync.folder(dir), sync.folder(dir), sync.folder(dir)]

  it('is shared by callers that ask before it begins', async () => {
    const sync = new DiskSync()
    const begun = busy(sync)
    expect(new Set(begun).size).toBe(3)
    const waiting = sync.folder(dir)
    expect(sync.folder(dir)).toBe(waiting)
    expect(sync.folder(tmpdir())).not.toBe(waiting)
    await Promise.all([...begun, waiting])
  })

  it('is done again for callers that ask after it began: their names may have come too late for it', async () => {
    const sync = new DiskSync()
    const first = sync.folder(dir)
    expect(sync.folder(dir)).not.toBe(first)
    const [others, waiting] = [busy(sync), sync.folder(dir)]
    await Promise.all([...others, waiting])
    const later = sync.folder(dir)
    expect(later).not.toBe(waiting)
    await later
  })

  // Windows has no folders to sync.
  it.skipIf(process.platform === 'win32')(
    'fails for all callers that shared it, and not for later ones',
    async () => {
      const sync = new DiskSync()
      const begun = busy(sync)
      const gone = join(dir, 'gone')
      const shared = [sync.folder(gone), sync.folder(gone)]
      for (const one of shared) await expect(one).rejects.toMatchObject({ code: 'ENOENT' })
      await Promise.all(begun)
      expect(await sync.folder(dir)).toBeUndefined()
      rmdirSync(dir)
      await expect(sync.folder(dir)).rejects.toMatchObject({ code: 'ENOENT' })
    },
  )
})

// A number that was closed would be given out again: another file of this process may have it by the time we ask.
const neverOpen = 2 ** 31 - 1

it('syncing a file says so when it is not there to be synced', async () => {
  const file = await open(join(dir, 'file'), 'w')
  const sync = new DiskSync()
  await sync.file(file.fd)
  await file.close()
  await expect(sync.file(neverOpen)).rejects.toMatchObject({ code: 'EBADF' })
})
