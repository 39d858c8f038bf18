import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it } from 'vitest'
import { hashOf, makeFolder, Watched } from './folder-watcher-under-test.ts'

const at = (path: string) => path as WorkspacePath

function makeRepo() {
  const folder = makeFolder()
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'commit.gpgsign=false']
  const git = (...words: string[]) => execFileSync('git', ['-C', folder.root, ...identity, ...words])
  git('init', '-q', '-b', 'main')
  return { ...folder, git }
}

describe('the watcher of a git repository', () => {
  it('S14 changes wait until git has finished, and are all reported with its position then', async () => {
    const folder = makeRepo()
    folder.write('a', 'one')
    const watched = new Watched(folder, { holdForGit: true })
    await watched.scanned()
    const before = watched.reports.length
    folder.write('.git/index.lock', '')
    folder.write('a', 'two')
    folder.write('b')
    // What is found is reported in the same turn, or held.
    const { known } = watched.eyes
    while (known.get(at('a'))?.entry.hash !== hashOf('two') || !known.has(at('b'))) {
      await new Promise(setImmediate)
    }
    expect(watched.reports.slice(before).flatMap(({ seen }) => seen)).toEqual([])
    rmSync(folder.at('.git/index.lock'))
    await watched.inStep()
  })

  it('S14 a commit alone is reported, without any path', async () => {
    const folder = makeRepo()
    folder.write('a')
    const watched = new Watched(folder)
    await watched.scanned()
    const { position } = watched.last
    folder.git('add', 'a')
    folder.git('commit', '-qm', 'one')
    await watched.until(() => watched.last.position !== position)
    expect(watched.last.seen).toEqual([])
  })

  it('S9 in a folder of a repository sees what it does not ignore there, and what git tracks all the same', async () => {
    const folder = makeRepo()
    folder.write('.gitignore', '.env\n*.log\n')
    for (const name of ['.env', 'a', 'b.log']) folder.write(`app/${name}`)
    const watched = new Watched({ ...folder, root: folder.at('app') })
    await watched.scanned()
    expect([...watched.told.keys()]).toEqual(['a'])
    folder.git('add', '-f', 'app/b.log')
    await watched.until(() => watched.told.has('b.log'))
    expect(watched.told.has('.env')).toBe(false)
  })

  it('S9 an ignored file is seen once git tracks it', async () => {
    const folder = makeRepo()
    folder.write('.gitignore', 'build/\n')
    folder.write('build/deep/a')
    folder.write('build/b')
    const watched = new Watched(folder)
    await watched.scanned()
    expect([...watched.told.keys()]).toEqual(['.gitignore'])
    folder.git('add', '-f', 'build/deep/a')
    await watched.until(() => watched.told.has('build/deep/a'))
    folder.write('build/deep/a', 'changed')
    await watched.until(() => watched.paths.filter((name) => name === 'build/deep/a').length === 2)
    expect(watched.told.has('build/b')).toBe(false)
    folder.git('rm', '-q', '--cached', 'build/deep/a', '-f')
    await watched.until(() => watched.skips.get('build/deep/a') === 'ignored')
  })

  it('S9 .git/info/exclude counts', async () => {
    const folder = makeRepo()
    folder.write('.git/info/exclude', 'secret\n')
    folder.write('secret')
    folder.write('open')
    const watched = new Watched(folder)
    await watched.scanned()
    expect([...watched.told.keys()]).toEqual(['open'])
  })
})
