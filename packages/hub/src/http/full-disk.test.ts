import { expect, it } from 'vitest'
import { FullDisk } from './full-disk.ts'

it('a full disk is one line in the hub’s output, no matter how many requests are refused, and one more if it lasts', () => {
  const said: unknown[] = []
  const disk = new FullDisk({ error: (line: unknown) => said.push(line) } as never, '/srv/farhand')
  disk.refused({ code: 'blob.mismatch' }, 0)
  for (const second of [1, 2, 3, 60]) disk.refused({ code: 'storage.full' }, second * 1000)
  expect(said).toEqual([expect.stringMatching(/^no room left on \/srv\/farhand: /)])
  disk.refused({ code: 'storage.full' }, 700_000)
  expect(said).toHaveLength(2)
})
