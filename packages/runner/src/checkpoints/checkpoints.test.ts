import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readBlob } from '@farhand/client/blobs/download-blob'
import { follow } from '@farhand/client/follow/follow'
import { post } from '@farhand/client/post/post'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { missingRecord } from '@farhand/protocol/wire/pack'
import { hashOf, hubForTests, RunUnderTest } from '@farhand/sync/hub/run-under-test'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { eventsOf, PlaceUnderTest } from './place-under-test.ts'

let hub: Awaited<ReturnType<typeof hubForTests>>
beforeAll(async () => {
  hub = await hubForTests()
})
afterAll(() => hub.close())

function place(): PlaceUnderTest {
  const place = new PlaceUnderTest()
  onTestFinished(() => place.die())
  return place
}

const said = async (run: RunUnderTest, method: string) =>
  (await eventsOf(run)).flatMap(({ notification }) =>
    notification.method === method ? [notification.params as Record<string, unknown>] : [],
  )

const sizeOf = async (run: RunUnderTest, bundle: string) =>
  (await readBlob(run.hub, run.at, bundle as BlobHash)).length

/** The way to a hub whose time for these blobs is over. */
function losing(lost: ReadonlySet<string>): typeof fetch {
  return async (to, init) => {
    const { pathname, searchParams } = new URL(String(to))
    const refused = { error: { code: 'blob.unknown', message: 'gone', remedy: 'give-up' } }
    if (pathname.endsWith('/file-url') && lost.has(searchParams.get('hash') ?? ''))
      return Response.json(refused, { status: 404 })
    if (!pathname.endsWith('/file-urls') && !pathname.endsWith('/sync/blobs')) return await fetch(to, init)
    const { hashes } = JSON.parse(String(init?.body)) as { hashes: BlobHash[] }
    const gone = hashes.filter((hash) => lost.has(hash))
    if (gone.length === 0) return await fetch(to, init)
    if (!pathname.endsWith('/file-urls')) return new Response(new Blob(gone.map(missingRecord) as BlobPart[]))
    return Response.json({ urls: {}, missing: Object.fromEntries(gone.map((hash) => [hash, '/nowhere'])) })
  }
}

const filesTold = async (run: RunUnderTest) =>
  (await eventsOf(run)).filter(({ notification }) => /file_(change|kept)$/.test(notification.method)).length

describe('a workspace whose sandbox is gone', () => {
  it('S15 is in the next place as it was: files, modes, links, branches, what is staged, a stash and what git was at', async () => {
    const run = await RunUnderTest.on(hub.hub)
    const one = await place().begin(run)
    one.git('init', '-q', '-b', 'main')
    for (let n = 0; n < 30; n += 1) one.write(`src/${n % 4}/file ${n}.txt`, `content ${n}\r\n`)
    one.write('.gitattributes', '*.txt text eol=crlf\n*.md ident\n')
    one.write('.gitignore', 'ignored\n')
    one.write('run.sh', '#!/bin/sh\n', 0o755)
    symlinkSync('src/0', join(one.root, 'link'))
    one.git('add', '.')
    one.git('commit', '-q', '-m', 'first')
    one.git('tag', '-a', '-m', 'a tag', 'v1')
    one.git('remote', 'add', 'origin', 'https://me:secret@example.org/x.git')
    one.git('branch', 'other')
    one.write('stashed', 'x')
    one.git('add', 'stashed')
    one.git('stash', '-q')
    one.write('src/0/file 0.txt', 'changed')
    one.write('staged', 'staged')
    one.git('add', 'staged')
    one.write('staged', 'and changed again')
    one.write('odd "name"\n.txt', 'x')
    one.write('ignored', 'not synced')
    await one.checkpoint()
    one.write('after.txt', 'after the checkpoint')
    one.write('.git-like', 'x')
    rmSync(join(one.root, 'src/1/file 1.txt'))
    await one.settled()
    const [files, shown] = [one.files(), one.shown]
    delete files.ignored
    await one.die()
    await run.device('laptop', { path: 'from-device', text: 'hello' })
    const told = await filesTold(run)

    const two = await place().begin(run)
    expect(two.brought.sort()).toEqual(['.git-like', 'after.txt', 'from-device'])
    expect(await filesTold(run)).toBe(told)
    const { 'from-device': fromDevice, ...rest } = two.files()
    expect(fromDevice).toBeDefined()
    expect(rest).toEqual(files)
    rmSync(join(two.root, 'from-device'))
    expect(two.shown).toEqual({ ...shown, remotes: shown.remotes!.replaceAll('me:secret@', '') })
    expect(await said(run, '_posthog/session_restored')).toMatchObject([{ files: 38, missing: [] }])
  })
})

/** A run with one checkpoint, and all that was done before it. */
async function kept(fill: (one: PlaceUnderTest) => void, run?: RunUnderTest) {
  const on = run ?? (await RunUnderTest.on(hub.hub))
  const one = await place().begin(on)
  fill(one)
  await one.checkpoint()
  return { run: on, one }
}

describe('a checkpoint', () => {
  it('changes nothing of the agent’s repository: index, HEAD, branches, objects and settings are the same byte for byte', async () => {
    const run = await RunUnderTest.on(hub.hub)
    const one = await place().begin(run)
    one.git('init', '-q', '-b', 'main')
    one.write('a', 'one')
    one.git('add', 'a')
    one.git('commit', '-q', '-m', 'first')
    one.write('a', 'two')
    one.git('add', 'a')
    one.write('b', 'three')
    await one.settled()
    const before = one.files('.git', () => true)
    await one.checkpoint()
    expect(one.files('.git', () => true)).toEqual(before)
    expect(await said(run, '_posthog/session_checkpoint')).toHaveLength(1)
  })

  it('is not made twice of the same, also if git has only looked at its files', async () => {
    const run = await RunUnderTest.on(hub.hub)
    const content = 'Tidy up,\nplease'
    await post(run.hub, run.at, { jsonrpc: '2.0', method: '_posthog/user_message', params: { content } })
    const { one } = await kept((one) => {
      one.git('init', '-q')
      one.write('a', 'one')
      one.git('add', 'a')
    }, run)
    one.git('update-index', '--refresh', '--really-refresh')
    one.git('status')
    await one.checkpoint()
    const made = await said(run, '_posthog/session_checkpoint')
    expect(made).toHaveLength(1)
    // As people find it in their repository.
    const repository = join(one.root, '../state/checkpoints/repository')
    const subject = ['log', '-1', '--format=%s', String(made[0]!.checkpointId)]
    expect(one.git('--git-dir', repository, ...subject).trim()).toBe('Farhand checkpoint 1: Tidy up, please')
    one.git('commit', '-q', '-m', 'nothing but a commit')
    await one.checkpoint()
    expect(await said(run, '_posthog/session_checkpoint')).toHaveLength(2)
    const commits = (await said(run, '_posthog/git_commit')).filter(({ kind }) => kind === 'commit')
    expect(commits).toMatchObject([
      { message: 'nothing but a commit', sha: one.git('rev-parse', 'HEAD').trim() },
    ])
  })

  it('is made beside what comes next when a turn is over, if that has changed something', async () => {
    const run = await RunUnderTest.on(hub.hub)
    const one = await place().begin(run)
    one.turnEnded()
    one.write('a', 'one')
    await one.settled()
    one.turnEnded()
    for await (const { notification } of follow(run.hub, run.at, { envelope: 'stored' }))
      if (notification.method === '_posthog/session_checkpoint') break
    expect(await said(run, '_posthog/git_commit')).toMatchObject([{ kind: 'checkpoint', number: 1 }])
  })

  it('W43 brings only what is new, and goes on from its predecessor when its process was killed', async () => {
    const { run, one } = await kept((one) => {
      one.git('init', '-q')
      for (let n = 0; n < 50; n += 1) one.write(`f${n}`, `${Math.random()}`.repeat(100))
    })
    await one.stop()
    const again = await one.again(run)
    again.write('f1', 'new')
    await again.checkpoint()
    const [first, second] = (await said(run, '_posthog/git_commit')) as {
      sha: string
      after: string
      bundle: string
    }[]
    expect(second).toMatchObject({ number: 2, after: first!.sha })
    expect(await sizeOf(run, second!.bundle)).toBeLessThan((await sizeOf(run, first!.bundle)) / 5)
    const files = again.files()
    await again.die()
    expect((await place().begin(run)).files()).toEqual(files)
  })

  it('has the files of the log, and never a state that is on the disk only for a moment', async () => {
    const { run, one } = await kept((one) => one.write('a', 'agreed'))
    await one.stop()
    // What is not in the log yet.
    one.write('a', 'not in the log')
    await run.device('laptop', { path: 'b', text: 'from a device' })
    await one.die()
    const two = await place().begin(run)
    expect([two.read('a'), two.read('b')]).toEqual(['agreed', 'from a device'])
  })

  it('starts over when the agent throws away objects that it borrowed', async () => {
    const { run, one } = await kept((one) => {
      one.git('init', '-q')
      one.write('a', 'one')
      one.git('add', '.')
      one.git('commit', '-q', '-m', 'first')
    })
    rmSync(join(one.root, '.git'), { recursive: true })
    one.write('a', 'two')
    await one.checkpoint()
    one.git('init', '-q', '-b', 'anew')
    one.git('add', '.')
    await one.checkpoint()
    const [files, shown] = [one.files(), one.shown]
    await one.die()
    const two = await place().begin(run)
    expect(two.files()).toEqual(files)
    expect(two.shown).toEqual(shown)
  })

  it('has the repository as it was before, if it cannot be read now', async () => {
    const { run, one } = await kept((one) => {
      one.git('init', '-q', '-b', 'main')
      one.write('a', 'one')
      one.git('add', '.')
      one.git('commit', '-q', '-m', 'first')
    })
    one.write('.git/config', '[nonsense')
    one.write('a', 'two')
    await one.checkpoint()
    await one.die()
    const two = await place().begin(run)
    expect([two.read('a'), two.git('log', '--format=%s')]).toEqual(['two', 'first\n'])
    expect(await said(run, '_posthog/console')).toMatchObject([
      { message: expect.stringContaining('config') },
    ])
  })

  it('says once that a repository which lies elsewhere is not in it', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'farhand-elsewhere-'))
    onTestFinished(() => rmSync(elsewhere, { recursive: true }))
    const { run, one } = await kept((one) => {
      one.git('init', '-q', `--separate-git-dir=${join(elsewhere, 'git')}`)
      one.write('a', '1')
    })
    one.write('a', '2')
    await one.checkpoint()
    expect(await said(run, '_posthog/session_checkpoint')).toHaveLength(2)
    expect(await said(run, '_posthog/console')).toMatchObject([
      { level: 'warn', message: expect.stringContaining('in another folder') },
    ])
  })

  it('is not made where there is no git, which is said once', async () => {
    const run = await RunUnderTest.on(hub.hub)
    const one = await place().begin(run, { clone: null, path: '/nowhere' })
    one.write('a', 'x')
    await one.checkpoint()
    expect(await said(run, '_posthog/session_checkpoint')).toEqual([])
    expect(await said(run, '_posthog/console')).toMatchObject([
      { level: 'warn', message: expect.stringContaining('no git') },
    ])
  })
})

describe('recovery', () => {
  it('S15 brings back no file that was deleted since, and loses nothing that a device edited since', async () => {
    const { run, one } = await kept((one) => {
      for (const name of ['a', 'b', 'c', 'd']) one.write(name, name)
    })
    await one.die()
    await run.device('laptop', { path: 'a', text: null, was: 'a' }, { path: 'b', text: 'edited', was: 'b' })
    const told = await filesTold(run)
    const two = await place().begin(run)
    expect(Object.keys(two.files())).toEqual(['b', 'c', 'd'])
    expect(two.read('b')).toBe('edited')
    expect(await filesTold(run)).toBe(told)
    await two.checkpoint()
    await two.die()
    const three = await place().begin(run)
    expect(three.brought).toEqual([])
    expect([three.read('a'), three.read('b')]).toEqual([null, 'edited'])
  })

  it.each(['a merge', 'a rebase', 'a detached HEAD', 'no commit yet', 'nothing of git'])(
    'puts back what git was at: %s',
    async (what) => {
      const { run, one } = await kept((one) => {
        one.write('a', 'one\n')
        if (what === 'nothing of git') return
        one.git('init', '-q', '-b', 'main')
        one.git('add', 'a')
        if (what === 'no commit yet') return
        one.git('commit', '-q', '-m', 'first')
        one.git('checkout', '-q', '-b', 'side')
        one.write('a', 'side\n')
        one.git('commit', '-q', '-a', '-m', 'side')
        one.git('checkout', '-q', 'main')
        one.write('a', 'main\n')
        one.git('commit', '-q', '-a', '-m', 'main')
        if (what === 'a detached HEAD') one.git('checkout', '-q', '--detach', 'HEAD~1')
        else expect(() => one.git(what === 'a merge' ? 'merge' : 'rebase', 'side')).toThrow()
      })
      const [files, shown] = [one.files(), one.shown]
      await one.die()
      const two = await place().begin(run)
      expect(two.files()).toEqual(files)
      expect(two.shown).toEqual(shown)
      if (what !== 'a rebase') return
      two.write('a', 'both\n')
      two.git('add', 'a')
      two.git('-c', 'core.editor=true', 'rebase', '--continue')
      expect(two.git('log', '--format=%s')).toBe('main\nside\nfirst\n')
    },
  )

  it('W25 takes the newest checkpoint of which all is there, whichever bundles the hub has lost', async () => {
    const { run, one } = await kept((one) => {
      one.git('init', '-q', '-b', 'main')
      one.write('a', '1')
      one.git('add', '.')
      one.git('commit', '-q', '-m', '1')
    })
    for (const text of ['2', '3', '4']) {
      one.write('a', text)
      one.git('commit', '-q', '-a', '-m', text)
      await one.checkpoint()
    }
    await one.die()
    const commits = await said(run, '_posthog/git_commit')
    const bundles = commits.flatMap(({ kind, bundle }) => (kind === 'checkpoint' ? [String(bundle)] : []))
    expect(bundles).toHaveLength(4)
    // With the third, what comes after it is of no use either.
    const lost = new Set([bundles[2]!])
    const two = await place().begin({ at: run.at, hub: { ...run.hub, fetch: losing(lost) } })
    expect([two.read('a'), two.git('log', '--format=%s')]).toEqual(['4', '2\n1\n'])
    expect((await said(run, '_posthog/console')).map(({ message }) => message)).toEqual([
      expect.stringContaining('could not be restored'),
    ])
    await two.checkpoint()
    await two.die()
    const three = await place().begin(run)
    expect([three.read('a'), three.git('log', '--format=%s')]).toEqual(['4', '2\n1\n'])
  })

  // The second waits until the runner has tried twice to fetch what the hub does not have.
  it.each(inject('long') ? ['an older version', 'nothing'] : ['an older version'])(
    'W25 goes on without what the hub has lost, and says so: of which the newest checkpoint has %s',
    async (has) => {
      const { run, one } = await kept((one) => {
        one.git('init', '-q')
        one.write('same', 'same')
        if (has !== 'nothing') one.write('changed', 'first')
      })
      one.write('changed', 'second')
      await one.settled()
      await one.die()
      const told = await filesTold(run)
      const lost = new Set(['same', 'first', 'second'].map(hashOf))
      const two = await place().begin({ at: run.at, hub: { ...run.hub, fetch: losing(lost) } })
      await two.settled()
      expect([two.read('same'), two.read('changed')]).toEqual(['same', has === 'nothing' ? null : 'first'])
      expect(await said(run, '_posthog/session_restored')).toMatchObject([{ missing: ['changed'] }])
      // What was put back is what the run has from now on; a missing blob does not count as deleted.
      expect(await filesTold(run)).toBe(has === 'nothing' ? told : told + 1)
    },
  )
})
