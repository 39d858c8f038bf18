import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, watch, writeFileSync } from 'node:fs'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DiskFolder } from '../engine/disk-folder.ts'
import { openDiskFolder } from './open-disk-folder.ts'
import { hashOf, makeFolder } from './watch/folder-watcher-under-test.ts'

const at = (text: string) => text as WorkspacePath
const entry = (text: string) => ({ mode: '100644', hash: hashOf(text) }) as FileEntry
const forever = new AbortController().signal
const count = 400

async function scanned(disk: DiskFolder): Promise<void> {
  while (!(await disk.next(forever)).scanned);
}

/** A tool that writes to every file once, as soon as it is there. */
function touchOnArrival(folder: ReturnType<typeof makeFolder>, touch: (file: string, name: string) => void) {
  const touched = new Set<string>()
  return new Promise<void>((resolve) => {
    const watcher = watch(folder.at('in'), (_, name) => {
      if (name === null || touched.has(name) || !existsSync(folder.at(`in/${name}`))) return
      touched.add(name)
      touch(folder.at(`in/${name}`), name)
      if (touched.size < count) return
      watcher.close()
      resolve()
    })
    onTestFinished(() => watcher.close())
  })
}

const tools = {
  rewrites: (file: string, name: string) => writeFileSync(file, `formatted ${name}`),
  removes: (file: string) => rmSync(file),
}

describe.each(Object.entries(tools))('while files arrive and a tool %s each of them', (what, touch) => {
  it.each(['read late', 'held back for git'])(
    'S4 it is told of every one, though reports are %s',
    async (how) => {
      const folder = makeFolder()
      mkdirSync(folder.at('in'))
      execFileSync('git', ['-C', folder.root, 'init', '-q'])
      const { root, state } = folder
      const disk = await openDiskFolder({ root, state, maxFileBytes: 1e6, holdForGit: true })
      onTestFinished(() => disk.close())
      await scanned(disk)
      if (how === 'held back for git') folder.write('.git/index.lock', '')
      const changes = Array.from({ length: count }, (_, n) => {
        const text = `${n} `.repeat(1000)
        return {
          path: at(`in/f${n}`),
          from: null,
          to: entry(text),
          size: text.length,
          content: Buffer.from(text),
        }
      })
      const touched = touchOnArrival(folder, touch)
      const answers = await disk.apply(changes)
      expect(answers.filter(({ is }) => is !== 'done')).toEqual([])
      await touched
      rmSync(folder.at('.git/index.lock'), { force: true })
      const told = new Map(changes.map(({ path, to }) => [path as string, to.hash as string | undefined]))
      const wanted = (name: string) => (what === 'removes' ? undefined : hashOf(`formatted ${name.slice(3)}`))
      const differing = () => [...told].filter(([path, hash]) => hash !== wanted(path))
      while (differing().length > 0) {
        for (const { path, entry } of (await disk.next(forever)).seen) told.set(path, entry?.hash)
      }
    },
  )
})
