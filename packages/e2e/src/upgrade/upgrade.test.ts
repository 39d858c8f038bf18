import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { command } from '@farhand/testkit/program-process'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { earlierVersion, hasCommit } from './earlier-version.ts'

/** The last one before the laptop's side was taken apart: its data and state folders are to be opened by every later version. */
const earlierCommit = '89dc0ab3bbbe400651fec22f43fe5c614619b510'

const canRun = hasCommit(earlierCommit) && existsSync('/usr/bin/bwrap')
const patient = { timeout: 90_000, interval: 200 }

type Status = {
  daemon: { pid: number } | null
  folders: { folder: string; run: string; pid: number | null; kept: string; doing: unknown }[]
  runs: { run: string; status: string }[]
}

// A shallow clone does not have the commit, and not every system has bubblewrap: then these are skipped, by name.
describe.skipIf(!canRun)('the state that an earlier version has left', { timeout: 300_000 }, () => {
  const home = mkdtempSync(path.join(tmpdir(), 'farhand-upgrade-'))
  let earlier: string

  /** Runs a command of then or of now, as its user would. */
  async function run(program: string, ...args: string[]): Promise<string> {
    const { PATH = '' } = process.env
    const env = { PATH, HOME: home, TMPDIR: home, FARHAND_STATE: path.join(home, 'state') }
    return (await promisify(execFile)(process.execPath, [program, ...args], { env, cwd: home })).stdout
  }
  const now = (...args: string[]) => run(command, ...args)
  const folder = (name: string) => path.join(home, name)
  const text = (file: string) => (existsSync(folder(file)) ? readFileSync(folder(file), 'utf8').trim() : null)
  const holds = (file: string, words: string) => vi.waitFor(() => expect(text(file)).toBe(words), patient)
  const status = async (program: string): Promise<Status> =>
    JSON.parse(await run(program, 'status', '--json'))
  /** What a thread of the device process does in a folder; null if it has none there. */
  const threadIn = async (name: string) => {
    const { daemon, folders } = await status(command)
    const one = folders.find((one) => one.folder === folder(name))
    return one?.pid && one.pid === daemon?.pid ? one.doing : null
  }
  const runOf = ({ folders }: Status, name: string) => folders.find((one) => one.folder === folder(name))!.run
  const standing = ({ runs }: Status, run: string) => runs.find((one) => one.run === run)?.status

  beforeAll(async () => {
    earlier = earlierVersion(earlierCommit, folder('earlier'))
    for (const [name, idle] of [
      ['live', '30m'],
      ['paused', '30m'],
      ['asleep', '1s'],
    ] as const) {
      mkdirSync(folder(name))
      const prompt = `write then.txt with "${name}"`
      await run(
        earlier,
        'run',
        '--agent',
        'rehearsal',
        '--folder',
        folder(name),
        '--idle',
        idle,
        '--detach',
        prompt,
      )
      await holds(`${name}/then.txt`, name)
    }
    await run(earlier, 'pause', folder('paused'))
    const asleep = runOf(await status(earlier), 'asleep')
    await vi.waitFor(async () => expect(standing(await status(earlier), asleep)).toBe('asleep'), patient)
  }, 300_000)

  afterAll(async () => {
    for (const { run } of (await status(command)).runs) await now('close', run)
    await now('hub', 'stop')
    rmSync(home, { recursive: true, force: true, maxRetries: 10 })
  })

  it('goes on while its hub, daemon and links are at work: the new command speaks with them in their format', async () => {
    const seen = await status(command)
    const keeps = seen.folders.map((one) => [path.basename(one.folder), one.kept])
    expect(Object.fromEntries(keeps)).toEqual({ live: 'live', paused: 'paused', asleep: 'live' })
    writeFileSync(folder('live/edited.txt'), 'by its user')
    // What kept it in sync was a process of its own. The device process takes over from it, with what was written meanwhile.
    await vi.waitFor(async () => expect(await threadIn('live')).toMatchObject({ files: 2 }), patient)
    await now('send', runOf(seen, 'live'), 'run `cat edited.txt > seen.txt`')
    await holds('live/seen.txt', 'by its user')
  })

  it('goes on after all of it was killed, but for the sandbox: live links are live, paused ones wait, sleeping runs wake up', async () => {
    const before = await status(earlier)
    const hub: { pid: number } = JSON.parse(await run(earlier, 'hub', 'status', '--json'))
    // The daemon first: it would start the others again. By now the folders may be threads of its successor.
    const pids = [before.daemon!.pid, ...before.folders.flatMap((one) => one.pid ?? []), hub.pid]
    for (const pid of new Set(pids)) process.kill(pid, 'SIGKILL')

    writeFileSync(folder('live/meanwhile.txt'), 'while all was dead')
    writeFileSync(folder('paused/meanwhile.txt'), 'while it was paused')
    // It starts the device process.
    await now('status')
    const doing = async () =>
      (await status(command)).folders.find((one) => one.folder === folder('live'))!.doing
    const files = readdirSync(folder('live')).filter((name) => name !== '.farhand').length
    await vi.waitFor(async () => expect(await doing()).toMatchObject({ is: 'in-step', files }), patient)
    await now('send', runOf(before, 'live'), 'run `cat meanwhile.txt > again.txt`')
    await holds('live/again.txt', 'while all was dead')
    await now('send', runOf(before, 'asleep'), 'run `cat then.txt > woken.txt`')
    await holds('asleep/woken.txt', 'asleep')

    const after = await status(command)
    expect(after.folders.find((one) => one.folder === folder('paused'))?.kept).toBe('paused')
    await now('resume', folder('paused'))
    await now('send', runOf(after, 'paused'), 'run `cat meanwhile.txt > resumed.txt`')
    await holds('paused/resumed.txt', 'while it was paused')
    expect(await now('history', folder('live/edited.txt'))).toContain('current')
  })
})
