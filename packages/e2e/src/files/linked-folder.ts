import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Producer } from '@farhand/client/post/producer'
import type { Hub } from '@farhand/client/requests/hub'
import { beginRunner } from '@farhand/client/resources/resources'
import { DeviceId, newId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { openDiskFolder } from '@farhand/sync/disk/open-disk-folder'
import { syncFolder } from '@farhand/sync/engine/folder-sync'
import type { Wins } from '@farhand/sync/engine/reconcile'
import type { SyncAnswer, SyncNote, SyncQuestion } from '@farhand/sync/engine/sync-notes'
import { openHubFolder, type Role } from '@farhand/sync/hub/open-hub-folder'
import { readFirstLook, saveFirstLook } from '@farhand/sync/state/first-look-memory'
import { openMemoryFile, rememberedLimit } from '@farhand/sync/state/memory-file'
import { defaultMaxFileBytes } from '@farhand/sync/state/size-limit'

type Place = { name: string; root: string; state: string; wins: Wins; hub: Hub; at: RunAddress }

/** A folder that is linked to a run in this process, the disk's own thread included; and hands to change its files. */
export class LinkedFolder {
  readonly name: string
  readonly root: string
  readonly #place: Place
  readonly #device = newId(DeviceId, 'dev')
  readonly #generations: number[] = []
  readonly #heard: () => void
  /** What was said in all lives. */
  readonly notes: SyncNote[] = []
  readonly questions: SyncQuestion[] = []
  /** The user's answer to questions. A test that does not set this expects none. */
  answer: ((question: SyncQuestion) => Promise<SyncAnswer> | SyncAnswer) | null = null
  /** Up to which event this life has said that it is in step; null until it says so. */
  inStepAt: number | null = null
  /** How the present life ended by itself, if it did. */
  ended: { error: unknown } | null = null
  #life: { stop: AbortController; over: Promise<void> } | null = null

  constructor(place: Place, heard: () => void) {
    this.name = place.name
    this.root = place.root
    this.#place = place
    this.#heard = heard
  }

  get isRunning(): boolean {
    return this.#life !== null
  }

  /** Begins a life. What it does is told by notes; how it ends by `ended`. */
  async start(): Promise<void> {
    if (this.#life) throw new Error(`${this.name} is already running`)
    const { root, state, wins, at } = this.#place
    const stop = new AbortController()
    this.ended = null
    this.inStepAt = null
    const disk = await openDiskFolder({
      root,
      state,
      maxFileBytes: rememberedLimit(state) ?? defaultMaxFileBytes,
      holdForGit: wins === 'disk',
      ...(wins === 'disk' ? { decisions: state } : {}),
      mayMakeRepositories: wins === 'log',
    })
    const { hub, role } = await this.#role(stop.signal)
    const on = (note: SyncNote) => this.#hear(note)
    const ask = (question: SyncQuestion) => this.#asked(question)
    const sync = syncFolder({
      disk,
      hub: openHubFolder({ hub, at, role, onConnection: (state) => on({ is: 'connection', state }) }),
      memory: openMemoryFile(state),
      wins,
      on,
      ask: ask as Parameters<typeof syncFolder>[0]['ask'],
      signal: stop.signal,
    })
    const over = sync
      .catch((error: unknown) => {
        this.ended = { error }
      })
      .then(async () => {
        await disk.close()
        this.#heard()
      })
    this.#life = { stop, over }
  }

  async stop(): Promise<void> {
    this.#life?.stop.abort()
    await this.#life?.over
    this.#life = null
    this.inStepAt = null
  }

  /** Resolves with what ended it by itself. */
  async over(): Promise<unknown> {
    await this.#life?.over
    this.#life = null
    return this.ended?.error
  }

  at(path: string): string {
    return join(this.root, path)
  }

  read(path: string): string {
    return readFileSync(this.at(path), 'utf8')
  }

  write(path: string, content: string | Uint8Array, mode?: number): void {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    writeFileSync(this.at(path), content)
    if (mode !== undefined) chmodSync(this.at(path), mode)
  }

  /** What `farhand allow` does. */
  allow(...paths: string[]): void {
    const { state } = this.#place
    const look = readFirstLook(state)
    saveFirstLook(state, { ...look, allowed: [...look.allowed, ...paths] })
  }

  /** In one step: while a program writes in place, the file is empty or incomplete for a moment, and that is a version too. */
  replace(path: string, content: string | Uint8Array): void {
    const draft = `${this.root}.draft`
    writeFileSync(draft, content)
    mkdirSync(dirname(this.at(path)), { recursive: true })
    renameSync(draft, this.at(path))
  }

  link(path: string, target: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    symlinkSync(target, this.at(path))
  }

  rename(from: string, to: string): void {
    mkdirSync(dirname(this.at(to)), { recursive: true })
    renameSync(this.at(from), this.at(to))
  }

  remove(path: string): void {
    rmSync(this.at(path), { recursive: true })
  }

  #hear(note: SyncNote): void {
    this.notes.push(note)
    if (note.is === 'in-step') this.inStepAt = note.cursor
    // A large file makes hundreds of these, and who looks reads all files each time.
    if (note.is !== 'progress') this.#heard()
  }

  async #asked(question: SyncQuestion): Promise<SyncAnswer> {
    this.questions.push(question)
    this.#heard()
    if (!this.answer) throw new Error(`${this.name} was asked ${JSON.stringify(question)}`)
    return this.answer(question)
  }

  async #role(signal: AbortSignal): Promise<{ hub: Hub; role: Role }> {
    const { hub, at, wins } = this.#place
    if (wins === 'disk') return { hub, role: { is: 'device', deviceId: this.#device } }
    const { token, generation } = await beginRunner(hub, at)
    const earlier = [...this.#generations]
    this.#generations.push(generation)
    const producer = new Producer({ ...hub, token }, at, { id: 'runner', epoch: generation, signal })
    return { hub: { ...hub, token }, role: { is: 'runner', producer, generation, earlier } }
  }
}
