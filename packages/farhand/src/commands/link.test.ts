import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { HubProcess } from '@farhand/testkit/hub-process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { farhand, temporaryFolder } from '../farhand-under-test.ts'
import { about, filesIn, inStep, startLink, untilApplied, write } from './link/link-under-test.ts'
import { hubCommandHere } from './local-hub/hub-here-under-test.ts'

/** A hub, a new run, and a folder that is in step with it. */
async function linked(files: Record<string, string> = {}) {
  const hub = await hubCommandHere()
  const folder = await temporaryFolder()
  const state = await temporaryFolder()
  await write(folder, files)
  const mine = startLink(folder, hub, '--run', 'new', '--state', state)
  const [first] = await mine.until((told) => told.event === 'ready')
  return { hub, folder, state, mine, run: String(first!.run) }
}

describe('farhand link', { timeout: 120_000 }, () => {
  it('S2 S7 keeps two folders on one run the same, both ways, and tells each change once', async () => {
    const { hub, folder, mine, run } = await linked({ 'a.txt': 'one', 'src/b.txt': 'two' })
    const there = await temporaryFolder()
    const far = startLink(there, hub, '--run', run, '--wins', 'log', '--state', await temporaryFolder())
    await far.until(inStep)
    expect(await filesIn(there)).toEqual({ 'a.txt': 'one', 'src/b.txt': 'two' })

    await writeFile(path.join(folder, 'a.txt'), 'from here')
    await mine.until(about('sent', 'a.txt'))
    const arrived = (await far.until(about('applied', 'a.txt'))).at(-1)
    expect(arrived).toMatchObject({ deed: 'modified', by: { kind: 'device' } })

    await write(there, { 'new/c.txt': 'from there' })
    await rm(path.join(there, 'src/b.txt'))
    const told = await untilApplied(mine, 'new/c.txt', 'src/b.txt')
    expect(told.find(about('applied', 'src/b.txt'))).toMatchObject({
      deed: 'deleted',
      by: { kind: 'runner', generation: 1 },
    })
    expect(await filesIn(folder)).toEqual({ 'a.txt': 'from here', 'new/c.txt': 'from there' })
    expect(await filesIn(there)).toEqual(await filesIn(folder))
  })

  it('S8 goes on where it stopped, without being told the run again, and finds what changed meanwhile', async () => {
    const { hub, folder, state, mine, run } = await linked({ 'a.txt': 'one', 'b.txt': 'two' })
    mine.child.kill('SIGINT')
    expect(await mine.exitCode).toBe(0)
    const anew = startLink(folder, hub, '--run', 'new', '--state', state)
    expect(await anew.exitCode).toBe(2)
    expect(anew.errors()).toContain(`is linked to ${runInWords(run)} already`)
    await writeFile(path.join(folder, 'a.txt'), 'changed while it was not linked')
    const again = startLink(folder, hub, '--state', state)
    const told = await again.until((told) => told.event === 'ready')
    expect(told[0]).toMatchObject({ event: 'linked', run })
    expect(told.filter(({ event }) => event === 'sent')).toMatchObject([{ path: 'a.txt', deed: 'modified' }])
  })

  it('S11 does not guess whose files count at the first meeting, and takes a flag for an answer', async () => {
    const { hub, run } = await linked({ 'a.txt': 'the run' })
    const other = await temporaryFolder()
    await write(other, { 'a.txt': 'the folder', 'b.txt': 'only here' })
    const state = await temporaryFolder()
    const asked = startLink(other, hub, '--run', run, '--state', state)
    expect(await asked.exitCode).toBe(5)
    const error = (await asked.until((told) => told.event === 'error')).at(-1)
    expect(error).toMatchObject({
      code: 'mustAsk',
      exit: 5,
      nextStep: expect.stringMatching(/--mine[\s\S]*--theirs/),
    })
    expect(await filesIn(other)).toEqual({ 'a.txt': 'the folder', 'b.txt': 'only here' })
    const told = await startLink(other, hub, '--run', run, '--state', state, '--theirs').until(inStep)
    expect(await filesIn(other)).toEqual({ 'a.txt': 'the run', 'b.txt': 'only here' })
    const kept = told.find(({ event }) => event === 'kept')
    expect(kept).toMatchObject({ path: 'a.txt', eventId: expect.any(Number) })
    const access = ['--run', run, '--hub', hub.url, '--token', hub.token]
    expect(await farhand('restore', `a.txt@${kept?.eventId}`, ...access).exitCode).toBe(0)
  })

  it('S13 does not take a folder that was emptied for an order to delete everything', async () => {
    const files = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`${n}.txt`, String(n)]))
    const { hub, folder, state, mine } = await linked(files)
    mine.child.kill('SIGTERM')
    await mine.exitCode
    for (const name of Object.keys(files)) await rm(path.join(folder, name))
    const asked = startLink(folder, hub, '--state', state)
    expect(await asked.exitCode).toBe(5)
    await startLink(folder, hub, '--state', state, '--gone', 'bring-back').until(inStep)
    expect(await filesIn(folder)).toEqual(files)
  })

  it('W8 the far side has one seat: a second one takes it, and the first says so and ends with 7', async () => {
    const { hub, run } = await linked({ 'a.txt': 'one' })
    const [one, two] = [await temporaryFolder(), await temporaryFolder()]
    const words = ['--run', run, '--wins', 'log', '--state']
    const first = startLink(one, hub, ...words, await temporaryFolder())
    await first.until(inStep)
    const second = startLink(two, hub, ...words, await temporaryFolder())
    await second.until(inStep)
    expect(await first.exitCode).toBe(7)
    expect(first.errors()).toContain("has become the run's far side")
  })

  it('S9 says once what it does not sync, and --max-file raises the limit for every folder of the run', async () => {
    const { hub, folder, mine, run } = await linked({})
    const there = await temporaryFolder()
    const far = startLink(there, hub, '--run', run, '--max-file', '1k', '--state', await temporaryFolder())
    await far.until(inStep)
    // At once: while it is being written it is not too large.
    const made = await temporaryFolder()
    await write(made, { 'big.txt': 'x'.repeat(2000) })
    await rename(path.join(made, 'big.txt'), path.join(folder, 'big.txt'))
    await write(folder, { 'small.txt': 'x' })
    const told = await mine.until(about('skipped', 'big.txt'))
    expect(told.at(-1)).toMatchObject({ why: 'too-large', size: 2000 })
    await far.until(about('applied', 'small.txt'))
    expect(Object.keys(await filesIn(there))).toEqual(['small.txt'])
  })

  it('refuses a folder that another process holds, and one inside or around it', async () => {
    const { hub, folder, state, mine, run } = await linked({ 'src/a.txt': '' })
    const words = ['--run', run, '--state', state]
    const same = startLink(folder, hub, ...words)
    expect(await same.exitCode).toBe(6)
    expect(same.errors()).toContain(`by process ${mine.child.pid}`)
    const inside = startLink(path.join(folder, 'src'), hub, ...words)
    expect(await inside.exitCode).toBe(6)
    expect(inside.errors()).toContain(`lies in ${folder}`)
    const links = farhand('links', '--state', state, '--json')
    expect(JSON.parse(await links.line())).toMatchObject({ folder, run, pid: mine.child.pid })
    mine.child.kill('SIGKILL')
    await mine.exitCode
    const after = startLink(path.join(folder, 'src'), hub, '--run', 'new', '--state', state)
    await after.until(inStep)
    expect(await farhand('unlink', folder, '--state', state).exitCode).toBe(0)
    expect(await farhand('unlink', folder, '--state', state).exitCode).toBe(2)
  })

  it('unlink leaves nothing of ours behind, and what is not ours where it is', async () => {
    const { folder, state, mine } = await linked({ 'a.txt': 'a' })
    mine.child.kill('SIGTERM')
    await mine.exitCode
    expect(await farhand('unlink', folder, '--state', state).exitCode).toBe(0)
    expect(await readdir(folder)).toEqual(['a.txt'])
    const other = await linked({ 'a.txt': 'a', '.farhand/store.sqlite': 'a hub' })
    other.mine.child.kill('SIGTERM')
    await other.mine.exitCode
    expect(await farhand('unlink', other.folder, '--state', other.state).exitCode).toBe(0)
    expect(await readdir(path.join(other.folder, '.farhand'))).toContain('store.sqlite')
  })

  it.each(['disk', 'log'])(
    'refuses what another state folder has linked, and what is inside (%s)',
    async (wins) => {
      const { hub, folder, mine, run } = await linked({ 'src/deep/a.txt': '' })
      const words = ['--run', run, '--wins', wins, '--state', await temporaryFolder()]
      const same = startLink(folder, hub, ...words)
      expect(await same.exitCode).toBe(6)
      expect(same.errors()).toContain(`${folder} is being kept in sync already, by process ${mine.child.pid}`)
      const inside = startLink(path.join(folder, 'src/deep'), hub, ...words)
      expect(await inside.exitCode).toBe(6)
      expect(inside.errors()).toContain(`lies in ${folder}, which is linked by process ${mine.child.pid}`)
      await write(folder, { 'b.txt': 'goes on' })
      await mine.until(about('sent', 'b.txt'))
    },
  )

  it('refuses a folder around one that another state folder has linked, be that ignored or not', async () => {
    const hub = await hubCommandHere()
    const around = await temporaryFolder()
    const inside = path.join(around, 'deep/inside')
    await write(inside, { 'a.txt': 'a' })
    await write(around, { '.gitignore': '.farhand\n' })
    const mine = startLink(inside, hub, '--run', 'new', '--state', await temporaryFolder())
    await mine.until(inStep)
    const outer = startLink(around, hub, '--run', 'new', '--state', await temporaryFolder())
    expect(await outer.exitCode).toBe(6)
    expect(outer.errors()).toContain(`${around} holds ${inside}`)
    expect(outer.errors()).toContain(`by process ${mine.child.pid}`)
  })

  it('tells a person how it stands, line by line, and ends well on Ctrl-C', async () => {
    const hub = await hubCommandHere()
    const folder = await temporaryFolder()
    await mkdir(path.join(folder, 'src'))
    await write(folder, { 'a.txt': 'one' })
    const state = await temporaryFolder()
    const link = farhand(
      'link',
      folder,
      '--run',
      'new',
      '--hub',
      hub.url,
      '--token',
      hub.token,
      '--state',
      state,
    )
    const said: string[] = []
    const until = async (words: string | RegExp) => {
      do said.push(await link.line())
      while (!said.at(-1)!.match(words))
    }
    await until('in step: 1 file')
    expect(said.join('\n')).toMatch(/is linked to run_\w+ at http/)
    expect(said.join('\n')).toMatch(
      /In another terminal: .* link <another folder> --run run_\w+ --wins log --hub http/,
    )
    await write(folder, { 'src/b.txt': 'two' })
    await until('→ src/b.txt')
    link.child.kill('SIGINT')
    await until(/^Stopped\. .* goes on from here\.$/)
    expect(await link.exitCode).toBe(0)
  })

  it('is honest about a hub that is away, keeps what happens meanwhile, and sends it later', async () => {
    const hub = await HubProcess.start()
    onTestFinished(async () => {
      await hub.kill()
      await rm(hub.data, { recursive: true, force: true })
    })
    const folder = await temporaryFolder()
    const state = await temporaryFolder()
    const mine = startLink(folder, hub, '--run', 'new', '--state', state)
    await mine.until(inStep)
    await hub.kill()
    const offline = await mine.until((told) => told.state === 'offline')
    expect(offline.at(-1)).toMatchObject({ event: 'connection', why: expect.any(String) })
    await write(folder, { 'b.txt': 'offline' })
    mine.child.kill('SIGTERM')
    expect(await mine.exitCode).toBe(0)
    const again = startLink(folder, hub, '--state', state)
    await again.until((told) => told.state === 'offline')
    await hub.spawn()
    await again.until(about('sent', 'b.txt'))
    await again.until(inStep)
  })

  it('says of a hub that is not there that nothing answers, and nothing of keys', async () => {
    const words = ['--run', 'new', '--hub', 'http://127.0.0.1:1', '--token', 'x']
    const link = farhand('link', await temporaryFolder(), ...words, '--state', await temporaryFolder())
    expect(await link.exitCode).toBe(1)
    expect(link.errors()).toMatch(/^No hub answers at http:\/\/127\.0\.0\.1:1: [^;]*\.\nIs the hub running/)
  })

  it.each([
    [['--mine', '--theirs', '--run', 'new'], 'exclude each other'],
    [['--run', 'yesterday'], 'names no run'],
    [['--run', 'new', '--max-file', 'huge'], 'is not a size'],
    [[], 'has not been linked before'],
    [['--run', 'new', '--head', 'sent'], 'link --help`'],
  ])('ends with 2 for %j', async (words, sentence) => {
    const folder = await temporaryFolder()
    const state = await temporaryFolder()
    const link = farhand(
      'link',
      folder,
      '--hub',
      'http://127.0.0.1:1',
      '--token',
      'x',
      '--state',
      state,
      ...words,
    )
    expect(await link.exitCode).toBe(2)
    expect(link.errors()).toContain(sentence)
  })
})
