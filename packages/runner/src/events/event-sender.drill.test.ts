import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { readLog } from '@farhand/client/follow/read-log'
import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { Dice } from '@farhand/testkit/dice'
import { HubProcess } from '@farhand/testkit/hub-process'
import { expect, inject, it, onTestFinished } from 'vitest'
import { numbersIn } from './numbered-words-under-test.ts'
import type { Speaker } from './speaker-under-test.ts'

const program = fileURLToPath(new URL('./speaker-under-test.ts', import.meta.url))
const lives = inject('long') ? 150 : 8
const seed = inject('seed') ?? 41

async function aRun() {
  const folder = mkdtempSync(join(tmpdir(), 'farhand-speaker-'))
  const hub = await HubProcess.start({ data: join(folder, 'hub') })
  onTestFinished(async () => {
    await hub.kill()
    rmSync(folder, { recursive: true })
  })
  const user = { url: hub.url, token: hub.token }
  const project = await createProject(user, { name: 'Drill' })
  const task = await createTask(user, project.id, { title: 'Say it' })
  const at = addressOf(await createRun(user, project.id, task.id, { sandbox: 'none' }))
  return { hub, user, at, folder: join(folder, 'journal') }
}

/** One life of a runner: what it said and was still there to tell, and whether it came to its end. */
async function live(speaker: Speaker, heard: (n: number) => void) {
  const child = spawn(process.execPath, ['--import', 'tsx', program, JSON.stringify(speaker)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const over = once(child, 'exit')
  let began: number | null = null
  let said = -1
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, number] = line.split(' ')
    if (word === 'begin') began = Number(number)
    else said = Number(number)
    heard(said)
  }
  const [code, signal] = await over
  return { began, said, code, signal }
}

it(
  `W7 W8 what a runner says is in the log once and in order, although runner (${lives} times) and hub are killed`,
  async () => {
    const dice = new Dice(seed)
    const { hub, user, at, folder } = await aRun()
    let said = -1
    let killed = 0
    for (let life = 1; life <= lives; life++) {
      const isLast = life === lives
      const upTo = isLast ? said + 500 : 1e9
      // Early deaths are while it takes over; late ones while it speaks.
      const killAt = isLast ? 0 : dice.chance(0.3) ? dice.between(1, 30) : dice.between(30, 1500)
      let restarting: Promise<void> | null = null
      const restartAt = said + dice.between(20, 400)
      const { began, code, signal, ...told } = await live(
        { ...user, at, folder, seed: dice.between(0, 1e9), killAt, upTo },
        (n) => {
          if (n === restartAt) restarting = hub.restart()
        },
      )
      await restarting
      const where = `seed ${seed}, life ${life}, killed at step ${killAt}`
      expect(isLast ? code : signal, where).toBe(isLast ? 0 : 'SIGKILL')
      if (!isLast) killed++
      if (began !== null) {
        // One more may have been said than there was time to tell.
        expect(began, where).toBeGreaterThanOrEqual(said + 1)
        expect(began, where).toBeLessThanOrEqual(said + 2)
        said = Math.max(began - 1, told.said)
      }
    }
    const log: SeenEvent[] = []
    for await (const event of readLog(user, at)) log.push(event)
    const numbers = log.flatMap(({ notification }) => numbersIn(notification))
    expect(numbers).toEqual(Array.from({ length: said + 1 }, (_, n) => n))
    expect(killed).toBe(lives - 1)
    const methods = new Set(log.map(({ notification }) => notification.method))
    for (const method of ['tool_result', '_posthog/error', '_posthog/file_change']) {
      expect(methods).toContain(method)
    }
    expect(log.some(({ notification }) => notification.params?.joined !== undefined)).toBe(true)
  },
  60_000 + lives * 10_000,
)
