import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { eventsOf } from '@farhand/runner/checkpoints/place-under-test'
import { hubForTests } from '@farhand/sync/hub/run-under-test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CommitFetcher } from './commit-fetcher.ts'
import { CommitsUnderTest } from './commits-under-test.ts'

let hub: Awaited<ReturnType<typeof hubForTests>>
beforeAll(async () => {
  hub = await hubForTests()
})
afterAll(() => hub.close())

describe('what an agent commits', { timeout: 300_000 }, () => {
  it('arrives on the laptop under names of its run, and nothing else there changes', async () => {
    const test = await CommitsUnderTest.on(hub.hub, (laptop) => laptop.git('branch', 'other'))
    const { laptop, place } = test
    place.git('switch', '--quiet', '--create', 'fix/it')
    const fix = test.commit({ 'a.txt': 'two\n' }, 'fix it')
    place.git('switch', '--quiet', '--create', 'checkpoint')
    const odd = test.commit({ 'b.txt': 'b\n' }, 'a branch that is called as one of ours')
    place.write('c.txt', 'not committed\n')
    await place.checkpoint()
    const [before, head] = [test.untouched(), laptop.git('rev-parse', 'HEAD')]

    const taken = await test.take()
    expect(taken).toMatchObject({ base: head, head: odd, branch: 'checkpoint' })
    expect(test.names()).toEqual({
      base: head,
      checkpoint: taken.checkpoint,
      'fix/it': fix,
      'branch-checkpoint': odd,
    })
    expect(laptop.git('show', `${taken.checkpoint}:c.txt`)).toBe('not committed')
    expect(test.untouched()).toEqual(before)
    expect(laptop.git('fsck', '--strict', '--no-dangling')).toBe('')

    // What comes later builds on it; a branch that makes way for another is not in its way.
    place.git('switch', '--quiet', '--create', 'wip')
    place.git('branch', '--quiet', '--delete', '--force', 'fix/it')
    const next = test.commit({ 'd.txt': 'd\n' }, 'and on')
    place.git('branch', 'fix')
    await place.checkpoint()
    const again = await test.take()
    expect(again.refs.filter(({ sha, was }) => sha !== was).map(({ ref }) => ref.split('/').at(-1))).toEqual([
      'checkpoint',
      'fix',
      'wip',
    ])
    expect(test.names()).toMatchObject({ wip: next, fix: next })
    expect((await test.take()).refs.every(({ sha, was }) => sha === was)).toBe(true)
  })

  it('arrives in a linked work tree, in a shallow clone, in one without old files, and in one that never had what the run began from', async () => {
    const test = await CommitsUnderTest.on(hub.hub, (laptop) => {
      laptop.commit({ 'a.txt': 'one and a half\n', 'old.txt': 'old\n' }, 'second')
      // Staged and not committed: no clone has it.
      laptop.write({ 'staged/s.txt': 's\n' })
      laptop.git('add', '--all')
    })
    const { laptop, place } = test
    const sha = test.commit({ 'a.txt': 'two\n' }, 'fix it')
    await place.checkpoint()

    const tree = path.join(laptop.home, 'tree')
    laptop.git('worktree', 'add', '--quiet', '--detach', tree)
    await test.take(tree)
    expect(test.names(tree)).toMatchObject({ main: sha })

    const shallow = path.join(laptop.home, 'shallow')
    laptop.gitIn(laptop.home, 'clone', '--quiet', '--depth=1', `file://${laptop.folder}`, shallow)
    await test.take(shallow, path.join(laptop.home, 'kept-shallow'))
    expect(laptop.gitIn(shallow, 'log', '--format=%s', sha)).toBe('fix it\nsecond')
    expect(laptop.gitIn(shallow, 'fsck', '--no-dangling')).toBe('')

    const partial = path.join(laptop.home, 'partial')
    laptop.git('config', 'uploadpack.allowFilter', 'true')
    const filtered = ['--quiet', '--no-checkout', '--filter=blob:none', `file://${laptop.folder}`]
    laptop.gitIn(laptop.home, 'clone', ...filtered, partial)
    await test.take(partial, path.join(laptop.home, 'kept-partial'))
    expect(laptop.gitIn(partial, 'log', '--format=%s', sha)).toBe('fix it\nsecond\nfirst')
    expect(laptop.gitIn(partial, 'show', `${sha}:a.txt`)).toBe('two')

    const other = test.emptyFolder()
    laptop.gitIn(other, 'init', '--quiet')
    await test.take(other, path.join(laptop.home, 'kept-other'))
    expect(laptop.gitIn(other, 'log', '--format=%s', sha)).toBe('fix it\nsecond\nfirst')
  })

  it('arrives again when git has thrown away what it built on', async () => {
    const test = await CommitsUnderTest.on(hub.hub)
    const { laptop, place } = test
    const first = test.commit({ 'a.txt': 'two\n' }, 'one')
    await place.checkpoint()
    await test.take()
    // The branch, all its names and all its objects go.
    laptop.git('switch', '--quiet', '--orphan', 'anew')
    laptop.git('branch', '--quiet', '--delete', '--force', 'main')
    for (const name of Object.keys(test.names()))
      laptop.git('update-ref', '-d', `refs/farhand/${test.run.at.run.slice(0, 12)}/${name}`)
    laptop.git('reflog', 'expire', '--expire=now', '--all')
    laptop.git('gc', '--quiet', '--prune=now')
    expect(() => laptop.git('cat-file', '-e', first)).toThrow()
    const second = test.commit({ 'a.txt': 'three\n' }, 'two')
    await place.checkpoint()
    await test.take()
    expect(laptop.git('log', '--format=%s', second)).toBe('two\none\nfirst')
    expect(laptop.git('fsck', '--no-dangling')).toBe('')
  })

  it('waits for another git, and gets no further than the first wrong byte', async () => {
    const test = await CommitsUnderTest.on(hub.hub)
    const { laptop, place, run } = test
    const sha = test.commit({ 'a.txt': 'two\n' }, 'fix it')
    await place.checkpoint()
    const names = path.join(laptop.folder, '.git/refs/farhand', run.at.run.slice(0, 12))
    laptop.git('update-ref', `refs/farhand/${run.at.run.slice(0, 12)}/main`, 'HEAD')
    writeFileSync(path.join(names, 'main.lock'), '')
    await expect(test.take()).rejects.toMatchObject({ isPassing: true })
    rmSync(path.join(names, 'main.lock'))
    await test.take()
    expect(test.names()).toMatchObject({ main: sha })

    // A commit that no git would make: its author has no name.
    const text = place.git('cat-file', 'commit', 'HEAD').replace(/^author .*$/m, 'author <> nobody')
    writeFileSync(path.join(place.root, 'odd'), text)
    const odd = place.git('hash-object', '-t', 'commit', '-w', '--literally', 'odd').trim()
    rmSync(path.join(place.root, 'odd'))
    place.git('update-ref', 'refs/heads/main', odd)
    await place.checkpoint()
    const before = test.names()
    await expect(test.take()).rejects.toThrow('cannot be added')
    expect(test.names()).toEqual(before)
    expect(() => laptop.git('cat-file', '-e', odd)).toThrow()
  })

  it('arrives while a folder is linked, as checkpoints come by, and only in a repository of the folder itself', async () => {
    const test = await CommitsUnderTest.on(hub.hub)
    const { laptop, place, run } = test
    const news: string[] = []
    const { signal } = new AbortController()
    const keeperOf = (folder: string) =>
      new CommitFetcher({
        folder,
        place: test.kept,
        ...run,
        env: laptop.env,
        signal,
        on: (refs) => news.push(...refs.map(({ ref }) => ref.split('/').at(-1)!)),
        onTrouble: (why) => news.push(why),
      })
    const [fetcher, inner] = [keeperOf(laptop.folder), keeperOf(path.join(laptop.folder, 'inner'))]
    laptop.write({ 'inner/x': 'x' })
    let heard = 0
    const hearAll = async () => {
      const events = await eventsOf(run)
      for (const event of events.slice(heard)) for (const one of [inner, fetcher]) one.hear(event)
      heard = events.length
      for (const one of [inner, fetcher]) await one.settled()
    }
    test.commit({ 'a.txt': 'two\n' }, 'one')
    await place.checkpoint()
    await hearAll()
    expect(news.splice(0)).toEqual(['base', 'checkpoint', 'main'])

    // Another git is at it: nothing is said, and the next one brings both.
    const lock = path.join(laptop.folder, '.git/refs/farhand', run.at.run.slice(0, 12), 'main.lock')
    writeFileSync(lock, '')
    test.commit({ 'a.txt': 'three\n' }, 'two')
    await place.checkpoint()
    await hearAll()
    expect(news).toEqual([])
    rmSync(lock)
    const last = test.commit({ 'a.txt': 'four\n' }, 'three')
    await place.checkpoint()
    await hearAll()
    expect(news).toEqual(['checkpoint', 'main'])
    expect(laptop.git('log', '--format=%s', last)).toBe('three\ntwo\none\nfirst')
  })
})
