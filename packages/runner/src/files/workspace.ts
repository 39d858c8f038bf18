import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Producer } from '@farhand/client/post/producer'
import type { Hub } from '@farhand/client/requests/hub'
import type { Backoff } from '@farhand/kit/backoff'
import { within } from '@farhand/kit/within'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { openDiskFolder } from '@farhand/sync/disk/open-disk-folder'
import { syncFolder } from '@farhand/sync/engine/folder-sync'
import type { HubFolder } from '@farhand/sync/engine/hub-folder'
import type { SyncAnswer, SyncNote, SyncQuestion } from '@farhand/sync/engine/sync-notes'
import { openHubFolder } from '@farhand/sync/hub/open-hub-folder'
import { openMemoryFile, rememberedLimit } from '@farhand/sync/state/memory-file'
import { defaultMaxFileBytes } from '@farhand/sync/state/size-limit'

export type WorkspaceParts = {
  root: string
  /** The sync state; outside of the workspace. */
  state: string
  hub: Hub
  at: RunAddress
  producer: Producer
  generation: number
  backoff: Backoff
  /** Whose files win when folder and run meet for the first time; the log's by default. */
  first?: 'mine' | 'theirs'
  leftOut?: readonly string[]
  decisions?: string
  /** Whether only the run works in the workspace. */
  isSandbox?: boolean
  on: (note: SyncNote) => void
  /** Called with every event of the log, in order, before its effects. */
  heard?: (event: SeenEvent) => void
  signal: AbortSignal
}

type RunnerLike = Pick<
  WorkspaceParts,
  'state' | 'hub' | 'at' | 'generation' | 'first' | 'leftOut' | 'decisions' | 'signal'
> & {
  agent: { command: { cwd: string } }
  checkpoints?: object
}

/** In the runner no user can be asked: one side wins, and the other version can be restored. */
const unasked =
  (first: 'mine' | 'theirs') =>
  async <Question extends SyncQuestion>(question: Question): Promise<SyncAnswer<Question>> => {
    const is: Question['is'] = question.is
    return ({ 'first-attach': first, vanished: 'delete', 'head-moved': 'send' } as const)[is]
  }

/** Keeps the workspace in sync with the run's files; the log wins. */
export class Workspace {
  readonly #parts: WorkspaceParts
  readonly #changed = new Map<WorkspacePath, string>()
  #sent: () => Promise<void> = async () => {}
  /** Resolves when sync has ended; rejects if the folder cannot be kept in sync any more. */
  readonly over: Promise<void>
  /** Resolves when all files of the run are here: an agent must not begin before. */
  readonly inStep: Promise<void>
  #isInStep: () => void = () => {}
  /** Files whose content the hub has lost: nothing waits for these. */
  readonly #lost = new Set<WorkspacePath>()

  constructor(parts: WorkspaceParts) {
    this.#parts = parts
    this.inStep = new Promise((resolve) => {
      this.#isInStep = resolve
    })
    this.over = this.#keep()
  }

  static of(runner: RunnerLike, parts: Pick<WorkspaceParts, 'producer' | 'backoff' | 'heard'>): Workspace {
    const { agent, hub, at, generation, first = 'theirs', leftOut = [], decisions, signal } = runner
    const [root, state] = [agent.command.cwd, path.join(runner.state, 'files')]
    const on = () => {}
    const isSandbox = runner.checkpoints !== undefined
    return new Workspace({
      ...parts,
      root,
      state,
      hub,
      at,
      generation,
      first,
      leftOut,
      ...(decisions && { decisions }),
      isSandbox,
      on,
      signal,
    })
  }

  /** Files that others changed since the last call, and who: the agent has not seen these changes. */
  takeChanged(): { path: WorkspacePath; by: string }[] {
    const changed = [...this.#changed].map(([path, by]) => ({ path, by }))
    this.#changed.clear()
    return changed
  }

  /** Resolves when all changes in the folder so far are in the log, or after `mostMs`. */
  async settled(mostMs: number): Promise<void> {
    // If sync has ended, nothing more is sent, and `over` has the reason.
    await within(
      mostMs,
      this.#sent().catch(() => {}),
    )
  }

  async #keep(): Promise<void> {
    const { root, state, hub, at, producer, generation, backoff, heard, signal } = this.#parts
    const { leftOut = [], decisions, isSandbox = false } = this.#parts
    const earlier = noteGeneration(state, generation)
    const maxFileBytes = rememberedLimit(state) ?? defaultMaxFileBytes
    const disk = await openDiskFolder({
      ...{ root, state, maxFileBytes, leftOut },
      holdForGit: false,
      ...(decisions && { decisions }),
      // In a sandbox, repositories are the agent's; on a user's machine, the user calls git.
      mayMakeRepositories: isSandbox,
    })
    try {
      await syncFolder({
        disk,
        hub: heardBy(
          openHubFolder({ hub, at, role: { is: 'runner', producer, generation, earlier }, backoff }),
          heard,
        ),
        memory: openMemoryFile(state),
        wins: 'log',
        on: (note) => this.#note(note),
        onOpen: (sent) => {
          this.#sent = sent
        },
        ask: unasked(this.#parts.first ?? 'theirs'),
        signal,
      })
    } finally {
      await disk.close()
    }
  }

  #note(note: SyncNote): void {
    if (note.is === 'in-step') this.#isInStep()
    if (note.is === 'trouble' && note.path && note.code === 'blob.unknown') this.#lost.add(note.path)
    const isOnlyLost = note.is === 'progress' && note.toSend === 0 && note.toApply <= this.#lost.size
    if (isOnlyLost && this.#lost.size > 0) this.#isInStep()
    if (note.is === 'applied' && note.by?.kind !== 'runner')
      this.#changed.set(note.path, note.by && 'id' in note.by ? note.by.id : 'someone')
    this.#parts.on(note)
  }
}

function heardBy(hub: HubFolder, heard: WorkspaceParts['heard']): HubFolder {
  if (!heard) return hub
  return {
    ...hub,
    async *follow(after, signal, witness) {
      for await (const portion of hub.follow(after, signal, witness)) {
        for (const event of portion.events) heard(event)
        yield portion
      }
    },
  }
}

/**
 * Which generations have written from this folder. Noted before the first write: after a crash, their events must be
 * recognized as this folder's.
 */
function noteGeneration(state: string, generation: number): number[] {
  const file = path.join(state, 'generations.json')
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const earlier = readGenerations(file)
  writeFileSync(`${file}.draft`, JSON.stringify([...earlier, generation].slice(-1000)), { mode: 0o600 })
  renameSync(`${file}.draft`, file)
  return earlier
}

function readGenerations(file: string): number[] {
  try {
    const noted: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return Array.isArray(noted) ? noted.filter((one) => typeof one === 'number') : []
  } catch {
    // The first generation, or the file cannot be read: then earlier events count as another writer's.
    return []
  }
}
