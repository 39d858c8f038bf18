import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { hubForTests, RunUnderTest } from '@farhand/sync/hub/run-under-test'
import { nameOf } from '@farhand/testkit/fake-blob-store'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { BundleChain } from './bundle-chain.ts'
import { Checkpoints } from './checkpoints.ts'
import { CheckpointRepository } from './git/checkpoint-repository.ts'
import { Git } from './git/git.ts'
import { importAhead, importBundles } from './import-bundles.ts'
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

const told = async (run: RunUnderTest, method: RegExp) =>
  (await eventsOf(run)).filter(({ notification }) => method.test(notification.method))

/** The repository of a user's laptop: three commits, of which two are to be had, a tag and something staged. */
function laptop(): PlaceUnderTest {
  const laptop = place()
  laptop.git('init', '-q', '-b', 'main')
  for (const [n, text] of ['one', 'two', 'three'].entries()) {
    laptop.write('history', text)
    laptop.write(`file ${n}`, text)
    laptop.git('add', '.')
    laptop.git('commit', '-q', '-m', text)
  }
  laptop.git('tag', 'v1', 'HEAD~1')
  laptop.write('file 0', 'dirty')
  laptop.write('staged', 'staged')
  laptop.git('add', 'staged')
  laptop.write('untracked', 'untracked')
  rmSync(join(laptop.root, 'file 1'))
  return laptop
}

/** As a device does (W40). */
async function begunFrom(laptop: PlaceUnderTest, run: RunUnderTest, kinds = ['base']): Promise<string> {
  const [head = '', tree = ''] = laptop.git('rev-parse', 'HEAD').trim().split('\n')
  const cut = laptop.git('rev-parse', 'HEAD~1').trim()
  const index = laptop.git('commit-tree', '-m', 'index', '-p', 'HEAD', laptop.git('write-tree').trim()).trim()
  laptop.git('update-ref', 'refs/farhand/base', head)
  laptop.git('update-ref', 'refs/farhand/index', index)
  laptop.write('.git/shallow', `${cut}\n`)
  const refs = ['refs/heads/main', 'refs/tags/v1', 'refs/farhand/base', 'refs/farhand/index']
  const file = join(laptop.root, '.git', 'b')
  laptop.git('bundle', 'create', '-q', file, ...refs)
  laptop.git('update-ref', '-d', 'refs/farhand/base')
  laptop.git('update-ref', '-d', 'refs/farhand/index')
  const bytes = readFileSync(file)
  const bundle = nameOf(bytes)
  await uploadBlobs(run.hub, run.at, [{ hash: bundle, size: bytes.length, open: () => bytes }])
  const names = ['history', 'file 0', 'file 2', 'staged', 'untracked']
  await run.device('laptop', ...names.map((path) => ({ path, text: laptop.read(path) })))
  const more = {
    upTo: 0,
    bundle,
    index,
    shallow: [cut],
    remotes: [{ name: 'o', url: 'https://example.org/x' }],
  }
  const device = { ...run.hub, deviceId: 'dev_laptop00' }
  for (const kind of kinds) {
    const params = { kind, sha: head, head, branch: 'main', ...more, tree }
    await post(device, run.at, { jsonrpc: '2.0', method: '_posthog/git_commit', params })
  }
  return head
}

describe('the first sandbox of a run', () => {
  it('W40 begins from the base, with its repository, and fetches only what that does not have', async () => {
    const run = await RunUnderTest.on(hub.hub)
    const here = laptop()
    const { status, log, head, refs } = here.shown
    await begunFrom(here, run)
    const one = await place().begin(run)
    expect(one.brought.sort()).toEqual(['file 0', 'staged', 'untracked'])
    expect(one.files()).toEqual(here.files())
    expect(one.shown).toMatchObject({ status, head, refs, fsck: '' })
    expect(one.shown.log).toBe(log!.split('\n').slice(0, 2).join('\n').concat('\n'))
    expect(one.shown.remotes).toContain('https://example.org/x')
    expect(await told(run, /file_(change|kept)/)).toEqual([])

    one.git('commit', '-q', '-m', 'what was staged')
    one.write('history', 'of the agent')
    await one.checkpoint()
    const [files, shown] = [one.files(), one.shown]
    const [checkpoint] = (await told(run, /git_commit/)).slice(-1)
    expect(checkpoint!.notification.params).toMatchObject({ kind: 'checkpoint', after: head!.trim() })
    await one.die()
    const two = await place().begin(run)
    expect(two.brought).toEqual([])
    expect(two.files()).toEqual(files)
    expect(two.shown).toEqual(shown)
  })

  it('W40 does not fetch again what it has fetched while files were on their way, unless it began anew', async () => {
    const run = await RunUnderTest.on(hub.hub)
    await begunFrom(laptop(), run)
    const log = new BundleChain()
    for (const event of await eventsOf(run)) log.take(event)
    const scratch = place().root
    const { signal } = new AbortController()
    const git = new Git(process.env.PATH ?? '')
    const repository = await CheckpointRepository.open(git, join(scratch, 'own'), join(scratch, 'none'))
    await importAhead(repository, log.base!, { hub: run.hub, at: run.at, scratch, signal })
    const unreachable = { hub: { url: 'http://127.0.0.1:1', token: '' }, at: run.at, scratch }
    const refs = await importBundles(repository, [log.base!], { ...unreachable, signal })
    expect(refs.map(({ name }) => name)).toContain('refs/farhand/base')
    expect(repository.has(log.base!.sha)).toBe(true)
    await repository.beginAnew()
    const soon = AbortSignal.abort()
    await expect(importBundles(repository, [log.base!], { ...unreachable, signal: soon })).rejects.toThrow()
  })

  it('W40 has the history before it is told that all files are there, and asks for it once', async () => {
    const run = await RunUnderTest.on(hub.hub)
    const head = await begunFrom(laptop(), run, ['history'])
    const scratch = place().root
    const asked: string[] = []
    const fetch: Hub['fetch'] = (input, init) => {
      asked.push(String(input))
      return globalThis.fetch(input, init)
    }
    const checkpoints = Checkpoints.of(
      {
        checkpoints: { clone: null },
        agent: { command: { cwd: join(scratch, 'workspace'), env: { PATH: process.env.PATH ?? '' } } },
        state: scratch,
        hub: { ...run.hub, fetch },
        at: run.at,
        signal: new AbortController().signal,
      },
      () => {},
    )!
    checkpoints.fetchAhead()
    expect(asked).toEqual([])
    for (const event of await eventsOf(run)) checkpoints.take(event)
    checkpoints.fetchAhead()
    const repository = join(scratch, 'checkpoints', 'repository')
    const hasIt = () => {
      try {
        return execFileSync('git', ['cat-file', '-t', head], { cwd: repository, stdio: 'pipe' }).toString()
      } catch {
        return null
      }
    }
    await vi.waitUntil(() => hasIt() === 'commit\n', { timeout: 60_000 })
    const before = asked.length
    checkpoints.fetchAhead()
    await checkpoints.restore()
    expect(asked.slice(before)).toEqual([])
  })

  it('clones what its run is to begin from, once, and its files are in the log', async () => {
    const run = await RunUnderTest.on(hub.hub)
    const origin = laptop()
    const url = join(mkdtempSync(join(tmpdir(), 'farhand-origin-')), 'x.git')
    onTestFinished(() => rmSync(join(url, '..'), { recursive: true }))
    execFileSync('git', ['clone', '-q', '--bare', origin.root, url], { stdio: 'ignore' })
    const one = await place().begin(run, { clone: { url, ref: 'v1' } })
    expect([one.read('history'), one.git('rev-parse', 'HEAD')]).toEqual([
      'two',
      origin.git('rev-parse', 'v1'),
    ])
    await one.settled()
    one.git('checkout', '-q', '-b', 'work')
    rmSync(join(one.root, 'file 0'))
    await one.checkpoint()
    await one.die()
    const two = await place().begin(run, { clone: { url } })
    expect(Object.keys(two.files())).toEqual(['file 1', 'history'])
    expect(two.git('branch', '--show-current')).toBe('work\n')
  })

  it('says why it cannot be cloned, and does not begin with nothing', async () => {
    const run = await RunUnderTest.on(hub.hub)
    await expect(place().begin(run, { clone: { url: '/nowhere/at/all' } })).rejects.toThrow(
      'git clone failed',
    )
    const [ended] = (await told(run, /phase_complete/)).map(({ notification }) => notification.params)
    expect(ended).toMatchObject({ phase: 'restoring', ok: false })
  })

  it('goes on with a clone of which only half came into the log before the sandbox died', async () => {
    const run = await RunUnderTest.on(hub.hub)
    const origin = laptop()
    origin.git('commit', '-q', '-a', '-m', 'four')
    await run.runner({ path: 'history', text: 'three' }, { path: 'file 2', text: 'three' })
    await run.device('laptop', { path: 'history', text: 'edited', was: 'three' })
    await run.device('laptop', { path: 'file 2', text: null, was: 'three' })
    const one = await place().begin(run, { clone: { url: origin.root } })
    await one.settled()
    expect([one.read('history'), one.read('file 2'), one.read('file 0')]).toEqual(['edited', null, 'dirty'])
    expect(await told(run, /file_kept/)).toEqual([])
  })
})
