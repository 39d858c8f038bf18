import { lstatSync, readdirSync, readlinkSync, renameSync } from 'node:fs'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it } from 'vitest'
import { PendingReport } from '../report/pending-report.ts'
import { hashOf, makeFolder } from '../watch/folder-watcher-under-test.ts'
import { FileReads } from './file-reads.ts'
import { WriteWaits } from './write-waits.ts'

const large = Buffer.alloc(3 * 1024 * 1024, 7)

/** Reads of files in a folder, and what came of them, in order. */
function readsIn(folder: ReturnType<typeof makeFolder>) {
  const came: string[] = []
  const reads = new FileReads({
    pending: new PendingReport(),
    waits: new WriteWaits(),
    was: () => undefined,
    took: (path, _stats, _nowMs, { entry }) => came.push(`${path} ${entry.hash}`),
    recheck: (path) => came.push(`${path} again`),
    unreadable: (path) => came.push(`${path} unreadable`),
  })
  const begin = (name: string) =>
    reads.begin(name as WorkspacePath, folder.at(name), lstatSync(folder.at(name)), Date.now())
  const finish = () => {
    while (reads.isBusy) reads.readOn()
  }
  return { reads, came, begin, finish }
}

/** Which files of this folder the process has open; it may have any number of others for other tests. */
const openIn = (folder: ReturnType<typeof makeFolder>) =>
  readdirSync('/proc/self/fd').flatMap((handle) => {
    const file = openAs(handle)
    return file?.startsWith(folder.at('')) ? [file] : []
  })

function openAs(handle: string): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${handle}`)
  } catch {
    return null // closed since it was listed
  }
}

describe('reads of files', () => {
  it('S8 a large file that has been read in part is not forgotten over a small one', () => {
    const folder = makeFolder()
    const { came, begin, finish } = readsIn(folder)
    folder.write('large', large)
    folder.write('small', 'bytes')
    begin('large')
    begin('small')
    expect(came).toEqual([`small ${hashOf('bytes')}`])
    finish()
    expect(came).toEqual([`small ${hashOf('bytes')}`, `large ${hashOf(large)}`])
  })

  it('S8 an older content of a path is not reported after a newer one, and no file stays open', () => {
    const folder = makeFolder()
    const { reads, came, begin, finish } = readsIn(folder)
    folder.write('large', large)
    folder.write('small', 'bytes')
    begin('large')
    if (process.platform === 'linux') expect(openIn(folder)).toHaveLength(1)
    renameSync(folder.at('small'), folder.at('large'))
    begin('large')
    finish()
    expect(came).toEqual([`large ${hashOf('bytes')}`])
    expect(reads.isBusy).toBe(false)
    if (process.platform === 'linux') expect(openIn(folder)).toEqual([])
  })

  it('S7 a content that was read in part before our own write is never reported', () => {
    const folder = makeFolder()
    const { reads, came, begin, finish } = readsIn(folder)
    folder.write('large', large)
    begin('large')
    reads.drop('another')
    expect(reads.isBusy).toBe(true)
    reads.drop('large')
    finish()
    expect(came).toEqual([])
  })
})
