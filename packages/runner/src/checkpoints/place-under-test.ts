import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { followPortions } from '@farhand/client/follow/follow'
import { readLog } from '@farhand/client/follow/read-log'
import { Producer } from '@farhand/client/post/producer'
import { beginRunner } from '@farhand/client/resources/resources'
import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import type { RunUnderTest } from '@farhand/sync/hub/run-under-test'
import { Workspace } from '../files/workspace.ts'
import { Checkpoints, type CheckpointsOptions } from './checkpoints.ts'

const backoff = { firstMs: 20, maxMs: 100 }
const settleMs = 60_000
// A test that counts checkpoints gets only those that it asked for, no matter how long they take.
const lookEveryMs = 3_600_000
const { PATH = '' } = process.env
const who = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@a',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@a',
}
const env = { PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', ...who }

export type SomeRun = Pick<RunUnderTest, 'hub' | 'at'>

/** A sandbox without an agent: a workspace that is kept in step with a run, and its checkpoints. It dies without a word. */
export class PlaceUnderTest {
  readonly root: string
  readonly #home: string
  readonly #stop = new AbortController()
  readonly #notes: SyncNote[] = []
  #workspace: Workspace | null = null
  #checkpoints: Checkpoints | null = null
  #saying: Promise<unknown> = Promise.resolve()

  constructor(home = mkdtempSync(join(tmpdir(), 'farhand-place-'))) {
    this.#home = home
    this.root = join(this.#home, 'workspace')
    mkdirSync(this.root, { recursive: true })
  }

  /** Resolves when the workspace is in step and kept. */
  async begin(
    run: SomeRun,
    options: CheckpointsOptions & { path?: string } = { clone: null },
  ): Promise<this> {
    const { at } = run
    const { token, generation } = await beginRunner(run.hub, at)
    const hub = { ...run.hub, token }
    const { signal } = this.#stop
    const producer = new Producer(hub, at, { id: 'runner', epoch: generation, backoff, signal })
    const say = (event: Notification) => {
      this.#saying = producer.send(event)
      this.#saying.catch(() => {})
    }
    const state = join(this.#home, 'state')
    const command = {
      cwd: this.root,
      env: { ...env, ...(options.path !== undefined && { PATH: options.path }) },
    }
    const checkpoints = Checkpoints.of(
      { checkpoints: { lookEveryMs, ...options }, agent: { command }, state, hub, at, signal },
      say,
    )!
    this.#checkpoints = checkpoints
    for await (const { events, live } of followPortions(hub, at, { after: 0, backoff, signal })) {
      for (const event of events) checkpoints.take(event)
      if (live) break
    }
    await checkpoints.restore().catch(async (why) => {
      await this.#saying
      throw why
    })
    const on = (note: SyncNote) => void this.#notes.push(note)
    const heard = (event: SeenEvent) => checkpoints.take(event)
    const folder = join(state, 'files')
    const parts = {
      root: this.root,
      state: folder,
      hub,
      at,
      producer,
      generation,
      backoff,
      on,
      heard,
      signal,
    }
    this.#workspace = new Workspace(parts)
    await Promise.race([this.#workspace.inStep, this.#workspace.over])
    checkpoints.begin()
    await this.#saying
    return this
  }

  /** Resolves when what was done in the folder is in the log. */
  async settled(): Promise<void> {
    await this.#workspace!.settled(settleMs)
  }

  /** As before it is put to sleep; resolves when all of it is in the log. */
  async checkpoint(): Promise<void> {
    await this.settled()
    await this.#checkpoints!.last(60_000)
    await this.#saying
  }

  turnEnded(): void {
    this.#checkpoints!.turnEnded()
  }

  /** Which files the sync engine brought. */
  get brought(): string[] {
    return this.#notes.flatMap((note) => (note.is === 'applied' ? [note.path] : []))
  }

  /** Dies; nothing of it is left. */
  async die(): Promise<void> {
    await this.stop()
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Another process in the same place, after this one was stopped. */
  again(run: SomeRun): Promise<PlaceUnderTest> {
    return new PlaceUnderTest(this.#home).begin(run)
  }

  /** The process ends, and the place stays. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#workspace?.over.catch(() => {})
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.root, env, stdio: ['ignore', 'pipe', 'pipe'] }).toString()
  }

  write(path: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), text, { mode })
  }

  read(path: string): string | null {
    try {
      return readFileSync(join(this.root, path), 'utf8')
    } catch {
      return null
    }
  }

  /** Every file below a folder of the workspace: its mode and what it holds. */
  files(
    below = '.',
    isFor = (name: string) => name !== '.git' && name !== '.farhand',
  ): Record<string, string> {
    const found: Record<string, string> = {}
    const walk = (folder: string) => {
      for (const name of readdirSync(join(this.root, folder)).sort()) {
        const path = join(folder, name)
        const stats = lstatSync(join(this.root, path))
        if (folder === below && !isFor(name)) continue
        if (stats.isDirectory()) walk(path)
        else if (stats.isSymbolicLink()) found[path] = `link ${readlinkSync(join(this.root, path))}`
        else {
          const hash = createHash('sha256')
            .update(readFileSync(join(this.root, path)))
            .digest('hex')
          found[path] = `${(stats.mode & 0o111) > 0 ? 'x' : '-'} ${hash}`
        }
      }
    }
    walk(below)
    return found
  }

  /** What git shows of this place. */
  get shown(): Record<string, string> {
    const ask = (...args: string[]) => {
      try {
        return this.git(...args)
      } catch (error) {
        const { stdout, stderr } = error as { stdout: Buffer; stderr: Buffer }
        return `refused: ${stdout}${stderr}`
      }
    }
    return {
      status: ask('status', '--porcelain=v2', '--branch', '--untracked-files=all'),
      long: ask('status'),
      head: ask('rev-parse', 'HEAD'),
      branch: ask('symbolic-ref', 'HEAD'),
      refs: ask('for-each-ref'),
      staged: ask('ls-files', '--stage'),
      stash: ask('stash', 'list'),
      log: ask('log', '--all', '--format=%H %s'),
      remotes: ask('remote', '-v'),
      fsck: withoutEmptyTree(ask('fsck', '--connectivity-only', '--no-dangling')),
    }
  }
}

/** Git knows the empty tree without having it: a commit of nothing leaves it out, and `fsck` alone misses it then. */
const withoutEmptyTree = (said: string) =>
  said === 'refused: missing tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n' ? '' : said

/** All that a run's log has. */
export async function eventsOf(run: SomeRun): Promise<SeenEvent[]> {
  const events: SeenEvent[] = []
  for await (const event of readLog(run.hub, run.at)) events.push(event)
  return events
}
