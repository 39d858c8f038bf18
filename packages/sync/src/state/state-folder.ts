import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DeviceId, ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { Wins } from '../engine/reconcile.ts'
import { HubTokens } from './hub-tokens.ts'

/** A folder that is linked to a run, and all it takes to go on with that. */
export type Link = {
  folder: string
  url: string
  /** The token for that hub, looked up when it is read; empty if this machine has none any more. */
  readonly token: string
  at: RunAddress
  wins: Wins
  /** The device as which the folder writes. Each folder has its own: two folders on one machine are two devices. */
  device: DeviceId
  /** The generations as which it has written while it took the place of the run's runner. */
  generations: number[]
}

/**
 * The folder in which a machine stores what it remembers of its linked folders, outside of all of them. It may hold tokens:
 * only its owner may read it.
 */
export class StateFolder {
  readonly root: string
  readonly tokens: HubTokens

  constructor(root: string) {
    this.root = path.resolve(root)
    this.tokens = new HubTokens(root)
  }

  /** What belongs to one folder, whichever run it is linked to. */
  placeOf(folder: string): string {
    return path.join(this.root, 'links', createHash('sha256').update(folder).digest('hex').slice(0, 24))
  }

  /** What a folder remembers of one run. */
  memoryOf(folder: string, { run }: RunAddress): string {
    return path.join(this.placeOf(folder), run)
  }

  /** The link of exactly this folder; null if it has never been linked, or was forgotten. */
  find(folder: string): Link | null {
    return readLink(this.#fileOf(this.placeOf(folder)), this.tokens)
  }

  /**
   * The author as which a folder has written into this run, as long as it remembers the run. After that it gets a new
   * device: what it wrote before must not count as what it has now.
   */
  identity(folder: string, at: RunAddress): Pick<Link, 'device' | 'generations'> | null {
    const memory = this.memoryOf(folder, at)
    if (!namesIn(memory).some((name) => name === 'memory' || name.startsWith('notes-'))) return null
    const link = readLink(path.join(memory, 'link.json'), this.tokens) ?? this.find(folder)
    return link?.at.run === at.run ? link : null
  }

  /** Every link there is, in the order of their folders. */
  links(): Link[] {
    const places = path.join(this.root, 'links')
    const links = namesIn(places).map((name) => readLink(this.#fileOf(path.join(places, name)), this.tokens))
    return links.filter((link) => link !== null).sort((a, b) => (a.folder < b.folder ? -1 : 1))
  }

  /** The link of the folder that this path lies in, the innermost if there are several. */
  around(place: string): Link | null {
    const links = this.links().filter(({ folder }) => isWithin(folder, place))
    return links.sort((a, b) => b.folder.length - a.folder.length)[0] ?? null
  }

  /** Remembers a link; a crash meanwhile leaves the one before. */
  save({ token, ...link }: Link): void {
    if (token !== '') this.tokens.keep(link.url, token)
    // Once for the folder, and once for what it remembers of this run: it may be linked to another, and come back.
    for (const place of [this.memoryOf(link.folder, link.at), this.placeOf(link.folder)]) {
      mkdirSync(place, { recursive: true, mode: 0o700 })
      const file = this.#fileOf(place)
      const draft = `${file}.${process.pid}`
      writeFileSync(draft, `${JSON.stringify(link)}\n`, { mode: 0o600 })
      renameSync(draft, file)
    }
  }

  /** Forgets the folder and everything it had agreed on with any run. Its files and the logs stay as they are. */
  forget(folder: string): void {
    rmSync(this.placeOf(folder), { recursive: true, force: true })
  }

  /** Forgets what a folder has agreed on with one run, and that it is linked to it. What it has with other runs stays. */
  forgetRun(folder: string, at: RunAddress): void {
    if (this.find(folder)?.at.run === at.run) rmSync(this.#fileOf(this.placeOf(folder)), { force: true })
    rmSync(this.memoryOf(folder, at), { recursive: true, force: true })
  }

  #fileOf(place: string): string {
    return path.join(place, 'link.json')
  }
}

/** Whether a path is this folder or lies in it. Both are absolute and without links in them. */
export function isWithin(folder: string, place: string): boolean {
  const way = path.relative(folder, place)
  return way === '' || !(way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Nothing has been linked yet.
    return []
  }
}

function readLink(file: string, tokens: HubTokens): Link | null {
  try {
    const { folder, url, token, at, wins, device, generations } = JSON.parse(readFileSync(file, 'utf8'))
    const run = {
      project: ProjectId.parse(at.project),
      task: TaskId.parse(at.task),
      run: RunId.parse(at.run),
    }
    if (typeof folder !== 'string' || typeof url !== 'string') return null
    // Older ones have it in here.
    const old = typeof token === 'string' ? token : ''
    return {
      folder,
      url,
      get token() {
        return tokens.of(url) ?? old
      },
      at: run,
      wins: wins === 'log' ? 'log' : 'disk',
      device: DeviceId.parse(device),
      generations: Array.isArray(generations) ? generations.filter(Number.isSafeInteger) : [],
    }
  } catch {
    // Missing or unreadable: the folder counts as not linked.
    return null
  }
}
