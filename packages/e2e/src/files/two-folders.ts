import { mkdirSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import type { Fetch, Hub } from '@farhand/client/requests/hub'
import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import { HubConfig } from '@farhand/hub/config/hub-config'
import { type RunningHub, startHub } from '@farhand/hub/hub'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { Wins } from '@farhand/sync/engine/reconcile'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import { history } from '@farhand/sync/history/history'
import { restore } from '@farhand/sync/history/restore'
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest'
import { differences, type FolderTree, hashOf, lastChange, treeOf, treeOfLog } from './folder-tree.ts'
import { LinkedFolder } from './linked-folder.ts'

/** Longer than any wait that succeeds, and shorter than the test's own timeout, which could not say what is wrong. */
const patienceMs = 110_000
const testTimeout = 180_000

export const bothWays = [
  { here: 'laptop', there: 'sandbox' },
  { here: 'sandbox', there: 'laptop' },
] as const

/** A hub for this file of tests, and what links two folders to a new run on it: one that wins and one that gives way. */
export function foldersOnAHub(fetch?: Fetch): () => Promise<TwoFolders> {
  vi.setConfig({ testTimeout })
  let home = ''
  let running: RunningHub | null = null
  beforeAll(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'farhand-folders-')))
    running = await startHub(HubConfig.parse({ port: 0, data: join(home, 'hub'), logLevel: 'silent' }))
  })
  afterAll(async () => {
    await running?.stop()
    await rm(home, { recursive: true, force: true })
  })
  return async () => {
    const hub = { url: running!.url, token: running!.ownerToken!, ...(fetch && { fetch }) }
    const folders = await TwoFolders.on(hub, await mkdtemp(join(home, 'test-')))
    onTestFinished(() => folders.close())
    return folders
  }
}

/** Folders that are linked to one run, and a way to know that they have come to rest. */
export class TwoFolders {
  readonly hub: Hub
  readonly run: RunAddress
  readonly home: string
  readonly laptop: LinkedFolder
  readonly sandbox: LinkedFolder
  readonly #all: LinkedFolder[] = []
  #notes = 0
  #wake: () => void = () => {}

  private constructor(hub: Hub, run: RunAddress, home: string) {
    this.hub = hub
    this.run = run
    this.home = home
    this.laptop = this.another('laptop', 'disk')
    this.sandbox = this.another('sandbox', 'log')
  }

  static async on(hub: Hub, home: string): Promise<TwoFolders> {
    const project = await createProject(hub, { name: 'p' })
    const task = await createTask(hub, project.id, { title: 't' })
    const run = addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
    return new TwoFolders(hub, run, home)
  }

  /** One more folder, which is not started yet. */
  another(name: string, wins: Wins): LinkedFolder {
    const root = join(this.home, name)
    const state = join(this.home, `${name}.state`)
    for (const folder of [root, state]) mkdirSync(folder)
    const place = { name, root, state, wins, hub: this.hub, at: this.run }
    const folder = new LinkedFolder(place, () => this.#hear())
    this.#all.push(folder)
    return folder
  }

  /** Starts them all, with these files on the laptop, and waits until every one has them. */
  async begin(files: Record<string, string> = { 'kept.txt': 'kept' }): Promise<FolderTree> {
    for (const [path, content] of Object.entries(files)) this.laptop.write(path, content)
    return this.startAll()
  }

  async startAll(): Promise<FolderTree> {
    for (const folder of this.#all) if (!folder.isRunning) await folder.start()
    return this.settled()
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.#all.map((folder) => folder.stop()))
  }

  /**
   * Waits until every folder that runs says that it is in step and they all have what the log says (S12). Anything
   * on a disk that `minus` takes out of a tree is none of theirs to have (S9).
   */
  async settled(minus: (tree: FolderTree) => void = () => {}): Promise<FolderTree> {
    return this.until('settled', async () => {
      const running = this.#all.filter((folder) => folder.isRunning)
      const events = await this.events()
      const last = lastChange(events)
      // A folder that was in step before the last change is not in step yet, even if its files are already right.
      const late = running.filter(({ inStepAt }) => inStepAt === null || inStepAt < last)
      if (late.length > 0) return { not: `${late.map(({ name }) => name)} not in step` }
      const fold = treeOfLog(events)
      for (const folder of running) {
        const tree = treeOf(folder.root)
        minus(tree)
        const differ = differences(tree, fold)
        const some = differ.slice(0, 10).join('\n')
        if (differ.length > 0) return { not: `${folder.name} / the log, ${differ.length} differ:\n${some}` }
      }
      return { is: fold }
    })
  }

  /** Waits until something is the case, and looks whenever any folder has said something. */
  async until<Value>(
    what: string,
    look: () => Promise<{ is: Value } | { not: string }>,
    withinMs = patienceMs,
  ): Promise<Value> {
    const deadline = performance.now() + withinMs
    for (;;) {
      const notes = this.#notes
      const broken = this.#all.find((folder) => folder.isRunning && folder.ended)
      if (broken) throw new Error(`${broken.name} has ended`, { cause: broken.ended?.error })
      const seen = await look()
      if ('is' in seen) return seen.is
      const leftMs = deadline - performance.now()
      if (leftMs <= 0 || (notes === this.#notes && !(await this.#hearsSomething(leftMs))))
        throw new Error(`not ${what}: ${seen.not}\n${this.#lastWords()}`)
    }
  }

  /** Waits until this folder has said something of this kind. */
  async heard<Kind extends SyncNote['is']>(
    { name, notes }: LinkedFolder,
    is: Kind,
    fits: (note: Extract<SyncNote, { is: Kind }>) => boolean = () => true,
  ): Promise<Extract<SyncNote, { is: Kind }>> {
    return this.until(`heard ${is} from ${name}`, async () => {
      const said = notes.find((note) => note.is === is && fits(note as never))
      return said ? { is: said as Extract<SyncNote, { is: Kind }> } : { not: 'said' }
    })
  }

  /** Puts a version with this content back, from any point in the history of the path (S4). */
  async restore(path: string, content: string): Promise<void> {
    const version = (await history(this.hub, this.run, path)).find(
      ({ entry }) => entry?.hash === hashOf(content),
    )
    if (!version) throw new Error(`the log has no version of ${path} with this content`)
    await restore(this.hub, this.run, path, version.eventId)
  }

  async events(): Promise<SeenEvent[]> {
    const events: SeenEvent[] = []
    for await (const event of readLog(this.hub, this.run)) events.push(event)
    return events
  }

  async close(): Promise<void> {
    await this.stopAll()
    await rm(this.home, { recursive: true, force: true })
  }

  #hear(): void {
    this.#notes += 1
    this.#wake()
  }

  #hearsSomething(withinMs: number): Promise<boolean> {
    const notes = this.#notes
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), withinMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve(true)
      }
      if (notes !== this.#notes) this.#wake()
    })
  }

  #lastWords(): string {
    return this.#all
      .map(
        ({ name, notes }) =>
          `${name} said last: ${notes
            .slice(-5)
            .map((note) => JSON.stringify(note))
            .join(' ')}`,
      )
      .join('\n')
  }
}
