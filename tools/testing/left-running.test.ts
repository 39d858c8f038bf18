import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { markStarted } from './left-running.mjs'

const stays = ['-e', "console.log('up'); setInterval(() => {}, 1000)"]

it.runIf(process.platform === 'linux')(
  'names and ends what still runs when the tests are over, and nothing that ran before',
  async () => {
    vi.stubEnv('FARHAND_TEST_RUN', 'of somebody else')
    onTestFinished(() => void vi.unstubAllEnvs())
    const before = spawn(process.execPath, stays, { stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => void before.kill('SIGKILL'))
    await once(before.stdout, 'data')
    const leftRunning = markStarted()
    expect(await leftRunning(0)).toEqual([])
    const after = spawn(process.execPath, stays, { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
    onTestFinished(() => void after.kill('SIGKILL'))
    await once(after.stdout, 'data')
    const gone = once(after, 'exit')
    expect(await leftRunning(0)).toEqual([expect.stringContaining("console.log('up')")])
    await gone
    expect([before.exitCode, before.signalCode]).toEqual([null, null])
  },
)

describe.runIf(process.platform === 'linux')('without an environment', () => {
  /** The folders of two runs, side by side, the path of one of which begins with that of the other. */
  function twoPlaces() {
    vi.stubEnv('FARHAND_TEST_RUN', 'of somebody else')
    onTestFinished(() => void vi.unstubAllEnvs())
    const parent = realpathSync(mkdtempSync(path.join(tmpdir(), 'left-running-')))
    onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
    const [own, others] = [path.join(parent, 'fht-1'), path.join(parent, 'fht-12')]
    for (const place of [own, others]) mkdirSync(place)
    return { own, others }
  }

  /** Starts a program without an environment, which says something when it is up. */
  async function start([command, ...args]: string[], cwd = '/') {
    const started = spawn(command!, args, { cwd, env: {}, stdio: ['pipe', 'pipe', 'ignore'], detached: true })
    onTestFinished(() => void started.kill('SIGKILL'))
    await once(started.stdout, 'data')
    return started
  }
  const sh = '/bin/sh'

  it('is known by a folder of the run that it works in or names, and no other run is blamed', async () => {
    const { own, others } = twoPlaces()
    const leftRunning = markStarted(own)
    const other = [
      await start([sh, '-c', 'echo up; exec tail -f /dev/null'], others),
      await start([sh, '-c', 'echo up; exec tail -f /dev/null', `${others}/file`]),
      await start([sh, '-c', 'echo up; exec tail -f /dev/null "$0"', `${own}2`]),
    ]
    expect(await leftRunning(0)).toEqual([])
    const gone = [
      await start([sh, '-c', 'echo up; exec tail -f /dev/null'], own),
      await start([process.execPath, ...stays, `${own}/hub`]),
    ].map((one) => once(one, 'exit'))
    const left = await leftRunning(0)
    expect(left).toHaveLength(2)
    expect(left).toContainEqual(expect.stringContaining('tail -f'))
    expect(left).toContainEqual(expect.stringContaining(`${own}/hub`))
    await Promise.all(gone)
    expect(other.map(({ signalCode }) => signalCode)).toEqual([null, null, null])
  })

  it('is known by it after its parent has ended, too', async () => {
    const { own } = twoPlaces()
    const leftRunning = markStarted(own)
    const started = await start([sh, '-c', 'tail -f /dev/null >/dev/null & echo up; read x'], own)
    started.stdin.end()
    if (started.exitCode === null) await once(started, 'exit')
    expect(await leftRunning(0)).toEqual([expect.stringContaining('tail -f')])
  })

  it('is not reported if it was started outside of the tests, such as a shell in the folder', async () => {
    const { own } = twoPlaces()
    const leftRunning = markStarted(own)
    // That shell is none of ours: its parent has ended, and neither its own folder nor its words are in there.
    const looks = '(cd "$AT" && exec tail -f /dev/null >/dev/null) & echo $$ $!; wait'
    const starter = spawn(sh, ['-c', `${sh} -c '${looks}' &`], {
      cwd: '/',
      env: { AT: own },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [said] = await once(starter.stdout, 'data')
    const pids = String(said).trim().split(' ').map(Number)
    onTestFinished(() => pids.forEach((pid) => void process.kill(pid, 'SIGKILL')))
    if (starter.exitCode === null) await once(starter, 'exit')
    expect(await leftRunning(0)).toEqual([])
  })

  it.runIf(existsSync('/usr/bin/bwrap'))(
    'is known in a sandbox by what of the folder it sees there, and that of another run is not',
    async () => {
      const { own, others } = twoPlaces()
      const leftRunning = markStarted(own)
      const inSandbox = (seen: string) => {
        const system = ['/usr', '/bin', '/lib', '/lib64'].flatMap((one) => ['--ro-bind-try', one, one])
        return [...system, '--bind', seen, '/workspace', '--dev', '/dev', '--die-with-parent', sh, '-c']
      }
      const begin = (seen: string) =>
        start(['/usr/bin/bwrap', ...inSandbox(seen), 'echo up; exec tail -f /dev/null'])
      const other = await begin(others)
      expect(await leftRunning(0)).toEqual([])
      await begin(own)
      // Beside the one outside, whose command line has the folder in it.
      expect(await leftRunning(0)).toContainEqual(expect.stringMatching(/^(?:tail -f|\/bin\/sh -c echo up)/))
      expect(other.signalCode).toBe(null)
    },
  )
})
