import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Notification } from '@farhand/protocol/wire/event'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isRunning, temporaryFolder } from '../agent/agent-under-test.ts'
import { Orders } from '../orders/orders.ts'
import { Shells } from './shells.ts'

const { PATH = '' } = process.env
// Tests run side by side, and would end what others run.
const run = `run of ${process.pid}`
// Elsewhere those that have left their group are not found.
const away = process.platform === 'linux' ? 'setsid ' : ''

/** The commands of one runner, and what it says of them. */
function shellsOf({ generation = 1, on = (_: Shells) => {} } = {}) {
  const orders = new Orders()
  const said: Record<string, unknown>[] = []
  const waiting: { isSo: () => boolean; go: () => void }[] = []
  const say = ({ params = {} }: Notification) => {
    said.push(params)
    on(shells)
    for (const { isSo, go } of waiting) if (isSo()) go()
  }
  const shells = new Shells({ orders, cwd: tmpdir(), env: { PATH }, emit: say, generation, run })
  onTestFinished(() => shells.stop())
  return {
    shells,
    said,
    begin(id: string, command: string, begunBy: number | null = null, timeoutSeconds?: number) {
      orders.openShells.set(id, { command, begunBy, timeoutSeconds })
      shells.heard()
    },
    stop(...ids: string[]) {
      for (const id of ids) orders.stoppedShells.add(id)
      shells.heard()
    },
    beginStopped(id: string, command: string) {
      orders.openShells.set(id, { command, begunBy: null })
      this.stop(id)
    },
    get ends() {
      return said.filter((one) => one.exitCode !== undefined)
    },
    until: (isSo: () => boolean) =>
      new Promise<void>((go) => {
        if (isSo()) go()
        else waiting.push({ isSo, go })
      }),
    get text() {
      return said.map(({ stdout = '' }) => stdout).join('')
    },
  }
}

const pidIn = (text: string) => Number(/pid (\d+)/.exec(text)?.[1])

describe('the commands of people', () => {
  it('wait while there is no room for what they print, and lose none of it', async () => {
    const bytes = 4 * 1024 * 1024
    let heard = 0
    const one = shellsOf({
      on: (shells) => {
        heard += 1
        if (heard === 2) shells.pauseReading()
      },
    })
    one.begin('a', `head -c ${bytes} /dev/zero | tr '\\0' x; echo`)
    await one.until(() => heard === 2)
    const soFar = one.text.length
    // Another program that prints as much, and is read, has ended: by now this one would have, too.
    await new Promise((done) =>
      spawn('sh', ['-c', `head -c ${bytes} /dev/zero | tr '\\0' x`])
        .on('close', done)
        .stdout.resume(),
    )
    expect(one.text.length - soFar).toBeLessThanOrEqual(64 * 1024)
    one.shells.resumeReading()
    await one.until(() => one.said.at(-1)?.exitCode === 0)
    expect(one.text.length).toBe(bytes + 1)
  })

  it('have an end in the log when they are stopped, those with one name too, and leave nothing running', async () => {
    const one = shellsOf()
    one.begin('a', 'echo pid $$; exec sleep 300')
    one.begin('a', `${away}sh -c 'echo pid $$; exec sleep 300'`)
    await one.until(() => one.text.match(/pid \d+/g)?.length === 2)
    const pids = one.text.match(/\d+/g)!.map(Number)
    await one.shells.stop()
    expect(pids.map(isRunning)).toEqual([false, false])
    expect(one.said.filter(({ exitCode }) => exitCode !== undefined)).toHaveLength(2)
  })

  it('end when a user stops them, or when they take too long, and say which; others go on', async () => {
    const one = shellsOf()
    one.begin('a', 'echo pid $$; sleep 300 & wait')
    one.begin('b', 'sleep 300', null, 0.05)
    await one.until(() => pidIn(one.text) > 0 && one.ends.length === 1)
    one.stop('a', 'nobody')
    await one.until(() => one.ends.length === 2)
    expect(one.ends).toEqual([
      { id: 'b', stderr: 'It was stopped: it took longer than 0.05 s.\n', exitCode: null },
      { id: 'a', stderr: 'It was stopped.\n', exitCode: null },
    ])
    expect(isRunning(pidIn(one.text))).toBe(false)
  })

  it('do not begin if they are stopped before, and a stop is for those before it alone', async () => {
    const one = shellsOf()
    one.stop('a')
    one.begin('a', 'true')
    await one.until(() => one.ends.length === 1)
    one.beginStopped('b', 'echo never')
    expect(one.ends).toEqual([
      { id: 'a', exitCode: 0 },
      { id: 'b', stderr: 'It was stopped before it began.\n', exitCode: null },
    ])
  })

  it('are over when their shell is; what they left in the background is still heard, and ends with the runner', async () => {
    const one = shellsOf()
    const folder = await temporaryFolder()
    const wait = `until [ -e ${folder}/go ]; do sleep 0.05; done; echo later; exec sleep 300`
    one.begin('a', `{ ${wait}; } & echo pid $!; exit 3`)
    await one.until(() => one.said.at(-1)?.exitCode === 3)
    expect([one.text, isRunning(pidIn(one.text))]).toEqual([expect.not.stringContaining('later'), true])
    writeFileSync(`${folder}/go`, '')
    await one.until(() => one.text.includes('later'))
    await one.shells.stop()
    expect(isRunning(pidIn(one.text))).toBe(false)
    expect(one.said.filter(({ exitCode }) => exitCode !== undefined)).toHaveLength(1)
  })

  // Other systems do not tell whose process it was.
  it.runIf(process.platform === 'linux')(
    'leave nothing in the background when the runner ends, also if it prints nowhere',
    async () => {
      const one = shellsOf()
      one.begin('a', 'sleep 300 > /dev/null 2>&1 & echo pid $!')
      await one.until(() => one.said.at(-1)?.exitCode === 0)
      await new Promise(setImmediate)
      expect(isRunning(pidIn(one.text))).toBe(true)
      await one.shells.stop()
      expect(isRunning(pidIn(one.text))).toBe(false)
    },
  )

  it('do not outlive the runner that was killed: the next one ends them before it says that they were cut short', async () => {
    const killed = shellsOf({ generation: 1 })
    killed.begin('a', 'echo pid $$; exec sleep 300')
    await killed.until(() => pidIn(killed.text) > 0)
    const next = shellsOf({ generation: 2 })
    next.begin('b', 'echo pid $$; exec sleep 300')
    await next.until(() => pidIn(next.text) > 0)
    next.begin('a', 'echo never', 1)
    await next.until(() => next.said.some(({ id, exitCode }) => id === 'a' && exitCode === null))
    expect(isRunning(pidIn(killed.text))).toBe(false)
    expect(isRunning(pidIn(next.text))).toBe(true)
    expect(next.text).not.toContain('never')
  })

  it('that are over leave nothing of a runner that was killed: the next one ends it, and what is told as cut short', async () => {
    const killed = shellsOf({ generation: 1 })
    killed.begin('a', 'sleep 300 & echo pid $!')
    killed.begin('b', 'echo pid $$; exec sleep 300')
    await killed.until(() => killed.text.match(/pid \d+/g)?.length === 2)
    const pids = killed.text.match(/\d+/g)!.map(Number)
    await killed.until(() => killed.said.some(({ exitCode }) => exitCode === 0))
    const next = shellsOf({ generation: 2 })
    // Which runner began it is unknown by the time when all open ones count as another runner's.
    next.begin('b', 'echo never', 0)
    await next.until(() => next.said.some(({ id, exitCode }) => id === 'b' && exitCode === null))
    expect(pids.map(isRunning)).toEqual([false, false])
  })
})
