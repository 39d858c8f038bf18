import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import process from 'node:process'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { ensureLocalHub } from '@farhand/device/local-hub/ensure-local-hub'
import { LocalHub } from '@farhand/device/local-hub/local-hub'
import { reviveLocalHub } from '@farhand/device/local-hub/revive-local-hub'
import { DeviceId, newId, ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { runHere, testContext } from '../../context/command-context-under-test.ts'
import { farhandBin, temporaryFolder } from '../../farhand-under-test.ts'
import { localHubParts } from './local-hub-parts.ts'

const someRun = () => ({
  project: newId(ProjectId, 'prj'),
  task: newId(TaskId, 'tsk'),
  run: newId(RunId, 'run'),
})

const context = (env: Record<string, string> = {}) =>
  localHubParts(
    testContext({ self: [process.execPath, farhandBin], env: { PATH: process.env.PATH, ...env } }),
  )

/** A state folder whose hub has ended when the test is over. */
async function newState(): Promise<StateFolder> {
  const state = new StateFolder(await temporaryFolder())
  onTestFinished(async () => {
    await runHere(['hub', 'stop', '--state', state.root])
  })
  return state
}

async function me({ url, token }: { url: string; token: string }): Promise<unknown> {
  const answer = await fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${token}` } })
  return await answer.json()
}

describe("the user's own hub", { timeout: 180_000 }, () => {
  it('is one, however many commands start it at once, and later ones find it', async () => {
    const state = await newState()
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => ensureLocalHub(state, context())))
    expect(others.map(({ url }) => url)).toEqual([first!.url, first!.url])
    expect(await me(first!)).toMatchObject({ role: 'owner' })
    for (const other of others) expect(await me(other)).toMatchObject({ role: 'owner' })
    const later = await ensureLocalHub(state, context())
    expect(later).toMatchObject({ url: first!.url, isStarted: false })
    // Nothing of its greeting, which holds a key, lies around.
    expect(readFileSync(new LocalHub(state.root).log, 'utf8')).not.toMatch(/token|fh_/)
  })

  it('is not left running where no command could find it, and the command that wanted it is told why', async () => {
    const state = await newState()
    const hub = new LocalHub(state.root)
    // As on a disk that has no sockets.
    mkdirSync(path.join(hub.data, 'hub.sock', 'in-the-way'), { recursive: true })
    await expect(ensureLocalHub(state, context())).rejects.toThrow('cannot make a socket there')
    expect(hub.running).toBe(null)
    expect(readFileSync(hub.log, 'utf8')).toContain('could not open the local socket')
  })

  it('is one also when another was being started: that is not left to take its place when it is stopped', async () => {
    const state = await newState()
    const file = path.join(state.root, 'slow')
    const slow = `require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setTimeout(() => {}, 60_000)`
    const late = ensureLocalHub(state, {
      ...context({ LATE: 'yes' }),
      self: [process.execPath, '-e', slow, '--'],
    })
    // Nothing is in it yet when it has just been made; and no number at all would mean this process and its group.
    const written = () => /^\d+$/.exec(readFileSync(file, 'utf8'))![0]
    const pid = Number(await vi.waitFor(written, { timeout: 30_000 }))
    const first = await ensureLocalHub(state, context())
    expect(await late).toMatchObject({ url: first.url })
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(/ESRCH/), { timeout: 30_000 })
    // Nor is what only that one would have known taken for known.
    expect(new LocalHub(state.root).seen).not.toHaveProperty('LATE')
  })

  it('comes back at the same address after it was killed or stopped', async () => {
    const state = await newState()
    const first = await ensureLocalHub(state, context())
    const kill = () => process.kill(new LocalHub(state.root).running!.pid, 'SIGKILL')
    kill()
    // Until it is dead it has its port.
    await vi.waitFor(() => expect(new LocalHub(state.root).hasDied).toBe(true), { timeout: 30_000 })
    const second = await ensureLocalHub(state, context())
    expect(second).toEqual({ ...first, isStarted: true })
    // Where the device process watches over it, no command has to ask.
    const over = new AbortController()
    const watch = reviveLocalHub(state, context(), over.signal, 20)
    kill()
    const isBack = async () => {
      // It answers a moment before it has written down where it is, and no command could stop it until then.
      expect(new LocalHub(state.root).running).not.toBeNull()
      expect(await me(first)).toMatchObject({ role: 'owner' })
    }
    await vi.waitFor(isBack, { timeout: 60_000 })
    const stopped = await runHere(['hub', 'stop', '--json', '--state', state.root])
    expect(JSON.parse(stopped.out)).toMatchObject({ stopped: true, url: first.url })
    expect((await runHere(['hub', 'stop', '--state', state.root])).out).toMatch(/^No hub runs/)
    expect((await runHere(['hub', 'status', '--state', state.root])).out).toMatch(/does not run\.\nData/)
    expect(new LocalHub(state.root).hasDied).toBe(false)
    over.abort()
    await watch
    const third = await ensureLocalHub(state, context())
    expect([third, await me(third)]).toMatchObject([{ url: first.url }, { role: 'owner' }])
    expect((await runHere(['hub', 'status', '--state', state.root])).out).toContain(`runs at ${first.url} `)
    // A user who has set something since then that an agent wants gets a hub that knows it, and only once.
    const key = context({ SOME_KEY: 'new' })
    expect(await ensureLocalHub(state, key, ['OTHER'])).toMatchObject({ isStarted: false })
    expect(await ensureLocalHub(state, key, ['SOME_KEY'])).toEqual({ ...third, isStarted: true })
    expect(await ensureLocalHub(state, key, ['SOME_KEY'])).toEqual({ ...third, isStarted: false })
    // One that was started by an older program gives way, as the device process does; one of a newer one does not.
    const hub = new LocalHub(state.root)
    hub.saveFingerprints({ ...hub.seen, '@version': '999.0.0' })
    expect(await ensureLocalHub(state, key)).toEqual({ ...third, isStarted: false })
    hub.saveFingerprints({ ...hub.seen, '@version': '0.0.1' })
    expect(await ensureLocalHub(state, key)).toEqual({ ...third, isStarted: true })
    expect(await ensureLocalHub(state, key)).toEqual({ ...third, isStarted: false })
    // And so does one that says nothing of a socket: it could not be known who answers at its port.
    expect(hub.lacksSocket).toBe(false)
    writeFileSync(path.join(hub.data, 'hub.json'), JSON.stringify(hub.running))
    expect(hub.lacksSocket).toBe(true)
  })

  it('takes another port where a stranger has its own, and its folders and runs find it there', async () => {
    const state = await newState()
    const stranger = createServer()
    const port = new LocalHub(state.root).usualPort
    onTestFinished(() => void stranger.close())
    await new Promise<void>((resolve, reject) => {
      // A user who has it already is as good a stranger.
      stranger.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'EADDRINUSE' ? resolve() : reject(error),
      )
      stranger.listen(port, '127.0.0.1', resolve)
    })
    mkdirSync(path.join(state.root, 'hub'), { recursive: true })
    const usual = `http://127.0.0.1:${port}`
    new LocalHub(state.root).save({ url: usual, token: 'fh_before' })
    const link = { folder: '/a', url: usual, token: 'fh_a', wins: 'disk' as const, generations: [] }
    state.save({ ...link, at: someRun(), device: newId(DeviceId, 'dev') })
    state.save({ ...link, folder: '/b', url: 'http://b:1', at: someRun(), device: newId(DeviceId, 'dev') })
    const runs = new KnownRuns(state.root)
    const at = someRun()
    runs.save({ url: usual, token: 'fh_a', at, agent: 'rehearsal', workspace: '/a' })
    runs.noteClosed(at.run, new Date())
    const hub = await ensureLocalHub(state, context())
    expect(hub.url).not.toBe(usual)
    expect(await me(hub)).toMatchObject({ role: 'owner' })
    expect(state.links().map(({ url }) => url)).toEqual([hub.url, 'http://b:1'])
    expect(runs.find(at.run)).toMatchObject({ url: hub.url })
    expect(runs.closedAt(at.run)).not.toBeNull()
  })

  it.runIf(process.platform === 'linux')(
    'has died also where no parent collects dead processes',
    async () => {
      const hub = new LocalHub(await temporaryFolder())
      // The shell that had it as its child is another program by then, which does not ask for it.
      const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      onTestFinished(() => void parent.kill('SIGKILL'))
      const [said] = (await once(parent.stdout, 'data')) as [Buffer]
      mkdirSync(hub.data, { recursive: true })
      writeFileSync(path.join(hub.data, 'hub.json'), JSON.stringify({ url: 'http://a', pid: Number(said) }))
      await vi.waitFor(() => expect(hub.hasDied).toBe(true), { timeout: 60_000 })
      expect(hub.running).toBeNull()
    },
  )

  it('is not waited for by a user who has changed their mind: then nothing was begun', async () => {
    const [state, cwd] = [await temporaryFolder(), await temporaryFolder()]
    const stop = new AbortController()
    // In the place of a hub: it never answers, and goes with the folder.
    const goes = `setInterval(() => require('node:fs').existsSync(${JSON.stringify(state)}) || process.exit(), 50)`
    const self = [process.execPath, '-e', goes, '--'] as const
    const words = ['run', 'say hi', '--agent', 'rehearsal', '--folder', cwd, '--state', state]
    const ran = runHere(words, { self, cwd, stop: stop.signal })
    await vi.waitFor(() => expect(existsSync(new LocalHub(state).log)).toBe(true), { timeout: 60_000 })
    stop.abort()
    expect(await ran).toEqual({ code: 0, out: '', notes: 'Stopped before anything was begun.\n' })
  })

  it('says what keeps it from being started', async () => {
    const state = new StateFolder(await temporaryFolder())
    writeFileSync(path.join(state.root, 'hub'), 'in the way')
    await expect(ensureLocalHub(state, context())).rejects.toMatchObject({
      exit: 'failed',
      message: expect.stringMatching(/^The state folder .* cannot be used: .* is not a folder/),
      nextStep: expect.stringContaining('--state'),
    })
    const broken = new StateFolder(await temporaryFolder())
    mkdirSync(path.join(broken.root, 'hub', 'secret'), { recursive: true })
    await expect(ensureLocalHub(broken, context())).rejects.toMatchObject({
      exit: 'failed',
      message: expect.stringMatching(/could not be started: /),
      nextStep: expect.stringContaining('hub.log'),
    })
  })
})
