import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import type { McpServer } from '@agentclientprotocol/sdk'
import { fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import type { Hub } from '@farhand/client/requests/hub'
import { event } from '@farhand/protocol/events/event-names'
import type { UserSetup } from '@farhand/protocol/methods/setup'
import { UserSetups } from '@farhand/protocol/runs/user-setups'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Notification } from '@farhand/protocol/wire/event'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { z } from 'zod'
import type { AgentCommand } from '../agent/agent.ts'
import { takesServers } from '../catalogue/catalogue.ts'
import { McpServerEntry, mcpServersOf, variablesWanted } from '../catalogue/mcp-servers.ts'
import { blobHashOf } from '../memory/memory-snapshots.ts'
import { isRead, pathForAgent, placeInHome } from './agent-home-paths.ts'
import { type FilePlan, planFiles, type WantedFile } from './plan-files.ts'

export type BroughtSetupParts = {
  hub: Hub
  at: RunAddress
  agent: { id: string; command: AgentCommand }
  /** The runner's state folder, with a note of the files it installed. */
  state: string
  emit: (event: Notification) => void
  signal: AbortSignal
}

type Place = { folder: string; place: string }

/** Installs what users bring for the agent where the agent looks for it, each time before it starts (W45). */
export class BroughtSetup {
  readonly #parts: BroughtSetupParts
  readonly #setups = new UserSetups()
  readonly #noteFile: string
  #told = ''

  constructor(parts: BroughtSetupParts) {
    this.#parts = parts
    this.#noteFile = path.join(parts.state, 'brought.json')
  }

  /** Takes the next event of the log. */
  take(event: SeenEvent): void {
    this.#setups.take(event)
  }

  /** Installs everything and returns the brought MCP servers. Failures are reported and do not stop the agent. */
  async ready(): Promise<readonly McpServer[]> {
    const { newest } = this.#setups
    if (!newest) return []
    const { id, command } = this.#parts.agent
    const left: string[] = []
    const put = await this.#put(newest, left)
    const { servers, left: leftServers } = broughtServers(newest.mcpServers ?? [], {
      takesAny: takesServers(id),
      taken: command.mcpServers ?? [],
      env: command.env,
      hasProgram: (name) => isOnPath(name, command.env.PATH ?? ''),
    })
    const names = servers.map(({ name }) => name)
    this.#tell({ agent: id, put, servers: names, left: [...left, ...leftServers] })
    return servers
  }

  /** Returns the brought paths that are installed now. */
  async #put(setup: UserSetup, left: string[]): Promise<string[]> {
    const { signal } = this.#parts
    const { wanted, places } = this.#wanted(setup)
    const before = this.#readNote()
    const putting = planFiles({
      wanted,
      before,
      there: fileAt,
      isBrought: (hash) => this.#setups.hasBrought(hash),
    })
    left.push(...putting.kept.map((place) => `${place}: the agent has changed it`))
    try {
      await this.#do(putting, places, before)
    } catch (error) {
      signal.throwIfAborted()
      left.push(`the rest: ${error instanceof Error ? error.message : String(error)}`)
    }
    return [...places].flatMap(([place, { of }]) => (fileAt(place) === before.get(place) ? [of] : []))
  }

  async #do({ put, same, gone }: FilePlan, places: ReadonlyMap<string, Place>, note: Map<string, BlobHash>) {
    const { hub, at, signal } = this.#parts
    const contents = new Map<BlobHash, Uint8Array>()
    for await (const { hash, bytes } of fetchBlobs(hub, at, new Set(put.map(({ hash }) => hash)), {
      signal,
    })) {
      if (!bytes) throw new Error('the hub has lost a part of it')
      contents.set(hash, bytes)
    }
    for (const { place, hash } of same) note.set(place, hash)
    for (const { place, hash, mode } of put) {
      putFile(places.get(place)!.folder, place, contents.get(hash)!, mode)
      note.set(place, hash)
    }
    for (const place of gone) {
      rmSync(place, { force: true })
      note.delete(place)
    }
    this.#writeNote(note)
  }

  #wanted({ items }: UserSetup) {
    const { id, command } = this.#parts.agent
    const paths = new Set<string>(items.map((item) => item.path))
    const wanted: WantedFile[] = []
    const places = new Map<string, Place & { of: string }>()
    for (const { path: of, hash, mode } of items) {
      const goes = isRead(of) ? pathForAgent(id, of, paths) : null
      if (goes === null) continue
      const { folder, below } = placeInHome(goes, command.env, command.env.HOME ?? '')
      const place = path.join(folder, below)
      wanted.push({ place, hash, mode })
      places.set(place, { folder, place, of })
    }
    return { wanted, places }
  }

  #tell(brought: { agent: string; put: string[]; servers: string[]; left: string[] }): void {
    const told = JSON.stringify(brought)
    // A restarted agent finds the same, which is no news.
    if (told === this.#told) return
    this.#told = told
    const { put, servers, left } = brought
    const message = [
      put.length > 0 && `Brought for the agent: ${put.map((of) => `~/${of}`).join(', ')}.`,
      servers.length > 0 && `MCP servers brought for it: ${servers.join(', ')}.`,
      left.length > 0 && `Left out: ${left.join('; ')}.`,
    ].filter((line) => line !== false)
    if (message.length === 0) return
    const level = left.length > 0 ? 'warn' : 'info'
    const params = { level, message: message.join(' '), brought }
    this.#parts.emit(event('console', params))
  }

  #readNote(): Map<string, BlobHash> {
    try {
      return new Map(Object.entries(Note.parse(JSON.parse(readFileSync(this.#noteFile, 'utf8')))))
    } catch {
      // Nothing was installed here yet, or the note cannot be read.
      return new Map()
    }
  }

  #writeNote(note: ReadonlyMap<string, BlobHash>): void {
    mkdirSync(path.dirname(this.#noteFile), { recursive: true, mode: 0o700 })
    writeFileSync(`${this.#noteFile}.draft`, JSON.stringify(Object.fromEntries(note)), { mode: 0o600 })
    renameSync(`${this.#noteFile}.draft`, this.#noteFile)
  }
}

const Note = z.record(z.string(), BlobHash)

function isOnPath(name: string, folders: string): boolean {
  const places = name.includes('/') ? [name] : folders.split(':').map((folder) => path.join(folder, name))
  return places.filter(path.isAbsolute).some((place) => {
    try {
      accessSync(place, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** The hash of the file at a path; links are not followed. */
function fileAt(place: string): BlobHash | 'other' | null {
  const there = lstatSync(place, { throwIfNoEntry: false })
  if (!there) return null
  return there.isFile() ? blobHashOf(readFileSync(place)) : 'other'
}

/** Writes a file below a folder, atomically. Throws if a parent is not a real folder. */
function putFile(folder: string, place: string, bytes: Uint8Array, mode: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let way = folder
  for (const name of path.relative(folder, path.dirname(place)).split(path.sep)) {
    if (name === '') continue
    if (name === '..') throw new Error('it would be outside of the home')
    way = path.join(way, name)
    const there = lstatSync(way, { throwIfNoEntry: false })
    if (there && !there.isDirectory()) throw new Error(`${way} is no folder`)
    if (!there) mkdirSync(way, { mode: 0o700 })
  }
  const draft = `${place}.farhand-draft`
  rmSync(draft, { force: true })
  writeFileSync(draft, bytes, { flag: 'wx', mode: 0o600 })
  chmodSync(draft, mode === '755' ? 0o700 : 0o600)
  renameSync(draft, place)
}

type ServerCircumstances = {
  /** Whether the agent supports MCP servers. */
  takesAny: boolean
  /** The agent's own servers, whose names are taken. */
  taken: readonly { name: string }[]
  env: Readonly<Record<string, string | undefined>>
  hasProgram: (command: string) => boolean
}

/** The user's servers as the agent gets them, and why others are left out. */
function broughtServers(
  said: readonly unknown[],
  { takesAny, taken, env, hasProgram }: ServerCircumstances,
): { servers: McpServer[]; left: string[] } {
  const names = new Set(taken.map(({ name }) => name))
  const servers: McpServer[] = []
  const left: string[] = []
  for (const one of said) {
    const { data: entry } = McpServerEntry.safeParse(one)
    const name = (one as { name: string }).name
    const why = entry === undefined ? 'the entry is invalid' : whyNot(entry)
    if (why !== null) left.push(`the MCP server ${name}: ${why}`)
    else servers.push(...mcpServersOf([entry!], env))
    names.add(name)
  }
  return { servers, left }

  function whyNot(entry: McpServerEntry): string | null {
    if (!takesAny) return 'this agent does not support MCP servers'
    if (names.has(entry.name)) return 'there is one of that name already'
    const missing = variablesWanted([entry]).filter((variable) => !env[variable])
    if (missing.length > 0) return `the run has no secret ${missing.join(' and ')}`
    if (entry.type === 'stdio' && !hasProgram(entry.command)) return `program not found: ${entry.command}`
    return null
  }
}
