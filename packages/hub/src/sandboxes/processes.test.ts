import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { randomName } from '@farhand/protocol/wire/ids'
import { describe, expect, it, onTestFinished } from 'vitest'
import { endProcesses, isThere, markName, processesOf, readIdentity, readPs } from './processes.ts'

function sleeper(mark: string, before: Record<string, string> = {}) {
  const env = { ...before, [markName]: mark }
  const child = spawn('sleep', ['1000'], { detached: true, env, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const who = readIdentity(readFileSync(`/proc/${child.pid}/stat`, 'utf8'))
  return { child, who: who! }
}

describe.skipIf(process.platform !== 'linux')('a process', () => {
  it('is not another process with the same pid', () => {
    const { who } = sleeper('one')
    expect(isThere(who)).toBe(true)
    expect(isThere({ ...who, since: String(Number(who.since) - 1) })).toBe(false)
  })

  it('counts as gone when it is dead, even if its parent has not waited for it', async () => {
    // Its parent becomes another program, which waits for no child.
    const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 1000'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void parent.kill('SIGKILL'))
    const pid = Number(String(await once(parent.stdout, 'data')))
    const stat = () => readFileSync(`/proc/${pid}/stat`, 'utf8')
    await expect.poll(() => / Z /.test(stat()), { timeout: 60_000 }).toBe(true)
    expect(readIdentity(stat())).toBeNull()
  })

  it('is found by its mark alone, which has to be the whole one', async () => {
    // Other tests on this machine may look for the same at the same time.
    const mine = `sb_${randomName(12)}`
    const { child, who } = sleeper(mine)
    const marked = (mark: string) => processesOf({ mark, leader: null, cgroups: [] }).map(({ pid }) => pid)
    // Until then it is a copy of this process.
    await expect.poll(() => marked(mine), { timeout: 60_000 }).toEqual([who.pid])
    expect(marked(mine.slice(0, -1))).toEqual([])
    expect(marked(mine.slice(1))).toEqual([])
    await endProcesses({ mark: mine.slice(0, -1), leader: null, cgroups: [] }, 1000)
    expect(isThere(who)).toBe(true)
    const exit = once(child, 'exit')
    await endProcesses({ mark: mine, leader: null, cgroups: [] }, 1000)
    expect(await exit).toEqual([null, 'SIGKILL'])
  })

  it('is recognised by the beginning of its environment only: the hub does not read megabytes of it', async () => {
    const filled = (kilobytes: number) => ({ FILLED: 'x'.repeat(kilobytes * 1024) })
    const mark = `sb_${randomName(12)}`
    const [large, usual] = [sleeper(mark, filled(100)), sleeper(mark, filled(32))]
    const exec = ({ who }: typeof large) => readFileSync(`/proc/${who.pid}/comm`, 'utf8') === 'sleep\n'
    await expect.poll(() => [large, usual].every(exec), { timeout: 60_000 }).toBe(true)
    const members = processesOf({ mark, leader: null, cgroups: [] })
    expect(members.map(({ pid }) => pid)).toEqual([usual.who.pid])
  })
})

describe('the identity of a process', () => {
  it('is read with any name of the process', () => {
    const rest = Array.from({ length: 30 }, (_, at) => String(at + 10)).join(' ')
    expect(readIdentity(`42 (a) R (b) S 1 2 3 ${rest}\n`)).toEqual({ pid: 42, since: '25' })
  })

  it('is read as `ps` tells it, where nothing else does', () => {
    expect(readIdentity('42 Mon Nov 16 08:00:00 2026\n')).toEqual({
      pid: 42,
      since: 'Mon Nov 16 08:00:00 2026',
    })
  })

  it.each(['', '\n', 'nonsense', '42', '42 \n'])('is not known from %j', (line) => {
    expect(readIdentity(line)).toBeNull()
  })
})

describe('the output of `ps`', () => {
  it('tells the parent of each process, its start time, and by its environment the sandbox', () => {
    const said = [
      '    1     0     1 Ss   Mon Nov 16 08:00:00 2026     /sbin/launchd',
      '  501   400   400 S+   Mon Nov  2 08:00:01 2026     sleep 1000 HOME=/a FARHAND_SANDBOX_ID=sb_1 LANG=C',
      '  502   501   400 Z    Mon Nov  2 08:00:01 2026     (sleep)',
    ].join('\n')
    expect(readPs(said)).toEqual([
      { pid: 1, parent: 0, group: 1, session: -1, since: 'Mon Nov 16 08:00:00 2026', mark: null },
      { pid: 501, parent: 400, group: 400, session: -1, since: 'Mon Nov  2 08:00:01 2026', mark: 'sb_1' },
    ])
  })
})
