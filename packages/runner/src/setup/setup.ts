import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { within } from '@farhand/kit/within'
import { event, isEvent } from '@farhand/protocol/events/event-names'
import type { EventName, EventParams } from '@farhand/protocol/methods/methods'
import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { z } from 'zod'
import { type NamedSecret, Redaction } from '../events/redaction.ts'
import { endFamily } from '../processes/process-family.ts'
import { CachedSetup, type CachedSetupParts } from './cached-setup.ts'
import { ConsoleOutput } from './console-output.ts'
import { runCommand } from './run-command.ts'
import { scanWorkspace } from './scan-workspace.ts'

/** `limitMs`: the command is ended when it takes longer. `worthMs`: faster commands are not cached. */
export type SetupTerms = { command: string; limitMs?: number; worthMs?: number; mostKeptBytes?: number }

export type SetupParts = Pick<CachedSetupParts, 'hub' | 'at' | 'state' | 'signal'> & {
  terms: SetupTerms | undefined
  cwd: string
  env: Readonly<Record<string, string>>
  secrets: readonly NamedSecret[]
  emit: (event: Notification) => void
}

const defaultLimitMs = 10 * 60_000
const defaultWorthMs = 3_000
const termMs = 2_000
const sentMs = 5_000
/** A command that kills its runner is not tried forever. */
const mostTries = 2
/** Caches that tools leave in a home and can do without. */
const onlyCaches = new Set([
  '.bun/install',
  '.cache',
  '.config/configstore',
  '.gradle',
  '.m2',
  '.node-gyp',
  '.npm',
  '.nuget',
  '.yarn',
])
/** Folders of which only some entries are caches: the rest are settings and programs. */
const partlyCaches = ['.bun', '.config']

/** The state of the setup in this sandbox; `end` is its error until the agent was told. */
const Note = z.object({
  command: z.string(),
  tries: z.number(),
  end: z.string().nullable(),
  isOver: z.boolean(),
})
type Note = z.infer<typeof Note>

/**
 * Runs the setup command, which makes the files that are not synced (S16), once in each sandbox (W42). An agent must
 * not get a message before `isOver`.
 */
export class Setup {
  readonly #parts: SetupParts
  readonly #stop = new AbortController()
  readonly #sending = new AbortController()
  readonly #signal: AbortSignal
  #running: Promise<void> | null = null
  #isOver: boolean
  #isStopped = false
  #hasAgentWorked = false
  #notice: string | null = null
  #printed = ''
  #sent: Promise<void> = Promise.resolve()

  constructor(parts: SetupParts) {
    this.#parts = parts
    this.#isOver = parts.terms === undefined
    this.#signal = AbortSignal.any([parts.signal, this.#stop.signal])
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** The notice for the agent's next prompt, given once; null if there is none. */
  takeNotice(): string | null {
    const notice = this.#notice
    const note = notice === null ? null : this.#readNote()
    if (note) this.#writeNote({ ...note, end: null })
    this.#notice = null
    return notice
  }

  /** A cancel also ends the setup; and once an agent has worked, the result is not cached for other runs. */
  heard({ notification }: SeenEvent): void {
    if (isEvent(notification, 'ack', 'agent_start')) this.#hasAgentWorked = true
    if (isEvent(notification, 'cancel') && this.#running && !this.#isOver) this.#stop.abort()
  }

  /** Resolves when an agent may begin, whether the setup succeeded or not. */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#isOver = true
    })
    return this.#running
  }

  /** Ends the command and its processes; resolves when all are gone. */
  async stop(): Promise<void> {
    if (!this.#running) return
    this.#isStopped = true
    this.#stop.abort()
    await this.#running.catch(() => {})
    await endFamily({ group: null, mark: this.#mark }, termMs)
    // The upload may be nearly done; but closing the run waits for this.
    await within(sentMs, this.#sent)
    this.#sending.abort()
    await this.#sent
  }

  get #mark(): string {
    return `${this.#parts.at.run} ${this.#parts.cwd} setup`
  }

  async #run(): Promise<void> {
    const { terms } = this.#parts
    if (!terms) return
    const command = createHash('sha256').update(terms.command).digest('hex')
    const known = this.#readNote()
    const before: Note = known?.command === command ? known : { command, tries: 0, end: null, isOver: false }
    if (before.isOver) {
      // It failed, and its runner ended before the agent was told.
      if (before.end !== null) this.#notice = noticeOf(terms.command, before.end, '')
      return
    }
    this.#writeNote({ ...before, tries: before.tries + 1 })
    const began = performance.now()
    this.#emit('phase_start', { phase: 'setup' })
    const { error, cached, leftRunning } =
      before.tries >= mostTries ? diedWithRunner : await this.#do(terms).catch((why) => this.#cutShort(why))
    // The runner was stopped, not the command: the next runner begins anew.
    if (this.#parts.signal.aborted) return this.#writeNote(before)
    if (error !== null) this.#failed(terms.command, error)
    // Processes still running end with this runner, so the next one has to start them again.
    this.#writeNote({ command, tries: 0, end: error, isOver: !leftRunning && !this.#isStopped })
    this.#emit('phase_complete', {
      phase: 'setup',
      ms: Math.round(performance.now() - began),
      ok: error === null,
      ...(error !== null && { error }),
      ...(cached && { cached }),
    })
  }

  async #do(terms: SetupTerms): Promise<Done> {
    const { hub, at, cwd: root, env, state, secrets } = this.#parts
    const { command, limitMs = defaultLimitMs, worthMs = defaultWorthMs, mostKeptBytes } = terms
    const signal = this.#signal
    const kept = new CachedSetup({
      hub,
      at,
      command,
      root,
      state,
      secrets: secrets.map(({ value }) => value).filter((value) => value !== ''),
      ...(mostKeptBytes !== undefined && { mostBytes: mostKeptBytes }),
      signal,
      sending: AbortSignal.any([this.#parts.signal, this.#sending.signal]),
    })
    const around = await scanWorkspace(root)
    const key = await kept.key(around)
    const found = await kept.restore(key, around)
    if (found === 'whole') return { error: null, cached: true, leftRunning: false }
    const home = namesIn(env.HOME)
    const output = new ConsoleOutput(new Redaction(secrets), (message) => this.#console('info', message))
    const began = performance.now()
    const take = (text: string) => output.take(text)
    const end = await runCommand({ command, cwd: root, env, mark: this.#mark, limitMs, output: take, signal })
    output.end()
    this.#printed = output.last
    if (end.error !== null || performance.now() - began < worthMs || found === 'some' || this.#hasAgentWorked)
      return { ...end, cached: false }
    const why = end.leftRunning
      ? 'it left something running'
      : namesIn(env.HOME).some((name) => !home.includes(name) && !onlyCaches.has(name))
        ? 'it left something in the home folder'
        : await this.#keep(kept, key, around)
    if (why !== null) this.#console('info', `What setup made is not kept for other runs: ${why}.`)
    return { ...end, cached: false }
  }

  async #keep(kept: CachedSetup, ...what: Parameters<CachedSetup['keep']>): Promise<string | null> {
    const done = await kept.keep(...what)
    if ('why' in done) return done.why
    this.#sent = done.sent.catch(() => {})
    return null
  }

  #cutShort({ message }: Error): Done {
    const error = this.#signal.aborted ? 'It was ended before it was done.' : `${message}.`
    return { error, cached: false, leftRunning: false }
  }

  #failed(command: string, error: string): void {
    const last = this.#printed === '' ? '' : `Its last output:\n${this.#printed}`
    if (last !== '') this.#console('warn', `Setup failed. ${last}`)
    this.#notice = noticeOf(command, error, last)
  }

  #console(level: string, message: string): void {
    this.#emit('console', { level, message, phase: 'setup' })
  }

  #emit<Name extends EventName>(name: Name, params: EventParams<Name>): void {
    this.#parts.emit(event(name, params))
  }

  get #noteFile(): string {
    return path.join(this.#parts.state, 'setup.json')
  }

  #readNote(): Note | null {
    try {
      return Note.parse(JSON.parse(readFileSync(this.#noteFile, 'utf8')))
    } catch {
      // There was no setup before, or the note cannot be read.
      return null
    }
  }

  #writeNote(note: Note): void {
    mkdirSync(this.#parts.state, { recursive: true, mode: 0o700 })
    writeFileSync(`${this.#noteFile}.draft`, JSON.stringify(note), { mode: 0o600 })
    renameSync(`${this.#noteFile}.draft`, this.#noteFile)
  }
}

const noticeOf = (command: string, error: string, last: string) =>
  `Before you, the setup command of this workspace was run, and failed. ${error} What it would have made (dependencies, ` +
  `build output) may be missing or incomplete. The command is:\n${command}\n${last}`

type Done = { error: string | null; cached: boolean; leftRunning: boolean }

const diedWithRunner: Done = {
  error: 'Its runner ended twice while it ran; it is not tried again here.',
  cached: false,
  leftRunning: false,
}

function namesIn(folder: string | undefined): string[] {
  if (folder === undefined) return []
  return namesOf(folder).flatMap((name) =>
    partlyCaches.includes(name) ? namesOf(path.join(folder, name)).map((one) => `${name}/${one}`) : [name],
  )
}

function namesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
