import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { openJournal } from '@farhand/runner/events/file-journal'
import { lockState } from '@farhand/sync/state/lock-state'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { temporaryFolder } from '@farhand/testkit/temporary-folder'
import { describe, expect, it } from 'vitest'
import { KnownRuns } from '../known-runs/known-runs.ts'
import { pruneRuns, type RunLookup, type Standing } from './prune-runs.ts'

const [project, task] = [ProjectId.parse('prj_00000000'), TaskId.parse('tsk_00000000')]
const idOf = (n: number) => RunId.parse(`run_0000000${n}`)
const workspace = '/somewhere'
const longAgo = new Date('2026-01-01T00:00:00.000Z')
const now = new Date('2026-11-01T00:00:00.000Z')
const word = (text: string) => ({ jsonrpc: '2.0' as const, method: '_posthog/console', params: { text } })

/** Runs on this machine, and hubs that report any status of them. */
class Machine {
  readonly runs: KnownRuns
  readonly state: string
  readonly asked: RunId[] = []
  says: Standing = 'closed'
  log: SeenEvent[] = []

  constructor(state: string) {
    this.state = state
    this.runs = new KnownRuns(state)
    // By this one the hub is remembered, so that any other may go.
    this.know(0)
    this.hold(0)
  }

  static begin = async () => new Machine(await temporaryFolder())

  know(n: number, more: { sandbox?: string } = {}): void {
    this.runs.save({
      ...more,
      url: 'http://a',
      token: 't',
      at: { project, task, run: idOf(n) },
      agent: 'rehearsal',
      workspace,
    })
  }

  hold = (n: number) => lockState(this.runs.placeOf(idOf(n))) as { release(): void }

  /** A runner said this much in its journal. */
  speak(n: number, words: string[], folder = workspace): void {
    const state = path.join(this.runs.runnerState(idOf(n), folder), 'runner', 'journal')
    const journal = openJournal(state, 1).begin()
    for (const text of words) journal.append(word(text))
    journal.close()
  }

  /** The log has so much of what the runner of the first generation said. */
  stored(words: string[]): void {
    this.log = words.map((text, at) => ({
      id: at + 1,
      type: 'notification',
      timestamp: longAgo.toISOString(),
      by: { kind: 'runner', generation: 1 },
      notification: word(text),
    }))
  }

  async prune(at = now): Promise<void> {
    const machine = this
    const ask: RunLookup = {
      async standing({ at }) {
        machine.asked.push(at.run)
        return machine.says
      },
      async *log() {
        yield* machine.log
      },
    }
    await pruneRuns(this.runs, ask, at)
  }

  has = (n: number) => existsSync(this.runs.placeOf(idOf(n)))
}

describe('what this machine remembers of runs', () => {
  it('goes a month after a runner has handed all of it in and the run was closed', async () => {
    const machine = await Machine.begin()
    machine.know(1)
    machine.speak(1, ['hello'])
    machine.runs.ended(idOf(1), workspace, longAgo)
    await machine.prune(new Date(longAgo.getTime() + 1000))
    expect(machine.has(1)).toBe(true)
    expect(machine.asked).toEqual([])
    await machine.prune()
    expect(machine.has(1)).toBe(false)
    expect(readdirSync(path.join(machine.state, 'runs'))).toEqual([idOf(0)])
  })

  it('of a run whose runner was killed goes a month after a hub has said that the run is closed', async () => {
    const machine = await Machine.begin()
    machine.know(1)
    machine.speak(1, ['hello', 'there'])
    machine.stored(['hello', 'there'])
    machine.says = 'open'
    await machine.prune(longAgo)
    expect(machine.runs.closedAt(idOf(1))).toBeNull()
    machine.says = 'closed'
    await machine.prune(longAgo)
    expect(machine.runs.closedAt(idOf(1))).toBe(longAgo.getTime())
    await machine.prune()
    expect(machine.has(1)).toBe(false)
  })

  it('stays as long as a journal, of any of its folders, has a word that is not in the log', async () => {
    const machine = await Machine.begin()
    machine.know(1)
    machine.speak(1, ['hello'], '/elsewhere')
    machine.speak(1, ['all of it'])
    machine.runs.ended(idOf(1), workspace, longAgo)
    await machine.prune()
    expect(machine.has(1)).toBe(true)
    machine.stored(['hello'])
    machine.says = 'gone'
    await machine.prune()
    expect(machine.has(1)).toBe(true)
    machine.says = 'closed'
    await machine.prune()
    expect(machine.has(1)).toBe(false)
  })

  it('stays if the run was opened again, if no hub tells its status, and while a process works on it', async () => {
    const machine = await Machine.begin()
    machine.know(1)
    const close = () => machine.runs.noteClosed(idOf(1), longAgo)
    close()
    machine.says = null
    await machine.prune()
    expect(machine.runs.closedAt(idOf(1))).toBe(longAgo.getTime())
    machine.says = 'open'
    await machine.prune()
    expect(machine.runs.closedAt(idOf(1))).toBeNull()
    close()
    machine.says = 'closed'
    const held = machine.hold(1)
    await machine.prune()
    expect(machine.has(1)).toBe(true)
    held.release()
    machine.know(1)
    machine.says = 'open'
    await machine.prune()
    expect(machine.has(1)).toBe(true)
  })

  it('goes with a run that was never known by name, once its runner has noted that all is in the log', async () => {
    const machine = await Machine.begin()
    machine.speak(1, ['hello'])
    machine.runs.ended(idOf(1), workspace, longAgo)
    machine.speak(2, ['hello'])
    machine.runs.noteClosed(idOf(2), longAgo)
    await machine.prune()
    expect([machine.has(1), machine.has(2)]).toEqual([false, true])
  })

  it('goes with what its folder remembers of a run in a sandbox, and that stays of other runs', async () => {
    const machine = await Machine.begin()
    const links = new StateFolder(machine.state)
    const memory = (n: number) => links.memoryOf(workspace, { project, task, run: idOf(n) })
    for (const n of [1, 2]) {
      machine.know(n, { sandbox: 'auto' })
      mkdirSync(memory(n), { recursive: true })
    }
    machine.runs.noteClosed(idOf(1), longAgo)
    machine.runs.noteClosed(idOf(2), now)
    await machine.prune()
    expect([1, 2].map((n) => [machine.has(n), existsSync(memory(n))])).toEqual([
      [false, false],
      [true, true],
    ])
  })

  it('goes wholly, also if that was interrupted, and nothing else does', async () => {
    const machine = await Machine.begin()
    const left = path.join(machine.state, 'runs', '.gone-run_00000009.1', 'agent')
    mkdirSync(left, { recursive: true })
    writeFileSync(path.join(machine.state, 'runs', 'notes'), 'mine')
    await machine.prune()
    expect(readdirSync(path.join(machine.state, 'runs')).sort()).toEqual(['notes', idOf(0)].sort())
  })
})
