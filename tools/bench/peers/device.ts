import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { printedJson } from '../children.ts'
import { commandMs } from '../load/command-ms.ts'
import { node } from '../node-program.ts'
import type { Bench } from '../row.ts'
import { type Hub, newRun } from './hub.ts'

/** A user's computer: a state folder of its own, and one version of the command. What that keeps running ends with `end`. */
export class Device {
  readonly #bench: Bench
  readonly #command: string
  readonly #state: string

  constructor(bench: Bench, command: string, state: string) {
    this.#bench = bench
    this.#command = command
    this.#state = state
    mkdirSync(state, { recursive: true })
  }

  /** Links a folder in the background to a new run, which it gives. Resolves when both are in step. */
  async link(hub: Hub, folder: string): Promise<string> {
    const { id } = await newRun(hub)
    await this.#call('link', folder, '--background', '--run', id, '--hub', hub.url, '--token', hub.token)
    return id
  }

  /** How many ms after the start of `farhand run` the hub has the files of this folder; the run is closed again. */
  async firstFilesMs(hub: Hub, folder: string): Promise<number> {
    const words = ['--agent', 'rehearsal', '--sandbox', 'process', '--folder', folder, '--json', '--timings']
    const where = ['--hub', hub.url, '--token', hub.token, '--state', this.#state]
    const args = [this.#command, 'run', 'say "ready"', ...words, ...where]
    const child = this.#bench.children.start(node, args)
    const told = (event: string) =>
      printedJson(child, (line) => (line.event === event ? line : null), { limitMs: 120_000, everyMs: 20 })
    const { steps } = (await told('timings')) as { steps: { step: string; ms: number }[] }
    await told('ended')
    return steps.find(({ step }) => step === 'inStep')?.ms ?? Number.NaN
  }

  /** Everything that this computer keeps running, by the state folder that it was given. */
  pids(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && wordsOf(name).includes(this.#state))
      .map(Number)
  }

  /** Memory of all its processes; what they share with each other and with others counts in part for each. */
  memory(): { pss: number; rss: number } {
    const all = this.pids().map((pid) => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
    const sum = (name: string) =>
      all.reduce(
        (bytes, text) => bytes + Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) * 1024,
        0,
      )
    return { pss: sum('Pss'), rss: sum('Rss') }
  }

  async end(): Promise<void> {
    await this.#call('pause', '--all')
    // What has nothing to do any more ends by itself.
    while (this.pids().length > 0) await wait(100)
  }

  #call(...words: string[]): Promise<number> {
    return commandMs(this.#bench.children, node, [this.#command, ...words, '--state', this.#state, '--json'])
  }
}

function wordsOf(pid: string): string[] {
  try {
    return readFileSync(join('/proc', pid, 'cmdline'), 'utf8').split('\0')
  } catch {
    // It has ended since.
    return []
  }
}
