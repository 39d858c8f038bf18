import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ProjectId, RequestId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { z } from 'zod'
import { removeFile, servingFolder, writeDurably } from '../request-settings/serve-settings.ts'

/** A request that this computer has taken on. `over`: the hub knows how it ended, or is to be told `error`. */
export const NotedRequest = z.object({
  id: RequestId,
  /** The hub that gave it, and as which of its devices this computer got it: it is no business of others. */
  url: z.string(),
  device: z.string(),
  /** Of several, the one that came first is done first. */
  nth: z.number(),
  at: z.object({ project: ProjectId, task: TaskId, run: RunId }),
  over: z.boolean(),
  error: z.string().optional(),
})
export type NotedRequest = z.infer<typeof NotedRequest>

/** Requests that are over are remembered, so that one that comes again is not done again; this many. */
const mostRemembered = 500

/** A hub, and as which device this computer is bound to it. */
export type BoundTo = Pick<NotedRequest, 'url' | 'device'>

/** What this computer must not forget of the requests that it was given, as this device of this hub. */
export class NotedRequests {
  readonly #folder: string
  readonly #to: BoundTo
  readonly #all = new Map<RequestId, NotedRequest>()

  constructor(state: string, { url, device }: BoundTo) {
    this.#to = { url, device }
    // A folder for each: what one hub calls its requests cannot replace what another one has given.
    const name = createHash('sha256')
      .update(JSON.stringify([url, device]))
      .digest('hex')
      .slice(0, 32)
    this.#folder = path.join(servingFolder(state), 'noted', name)
    for (const name of namesIn(this.#folder)) {
      const noted = read(path.join(this.#folder, name))
      if (noted?.url === url && noted.device === device) this.#all.set(noted.id, noted)
    }
  }

  find(id: RequestId): NotedRequest | null {
    return this.#all.get(id) ?? null
  }

  /** Those that are to be done, in the order in which they came. */
  open(): NotedRequest[] {
    return this.#inOrder().filter(({ over }) => !over)
  }

  /** Those of which the hub is still to be told that they could not be done. */
  untold(): NotedRequest[] {
    return this.#inOrder().filter(({ over, error }) => over && error !== undefined)
  }

  /** When it returns, the request is on disk. One that is noted already stays as it is. */
  note(id: RequestId, at: NotedRequest['at']): NotedRequest {
    const before = this.#all.get(id)
    if (before) return before
    const nth = 1 + Math.max(0, ...[...this.#all.values()].map((one) => one.nth))
    return this.#write({ id, ...this.#to, nth, at, over: false })
  }

  /** Notes that it is over; with an error until the hub has confirmed that it knows. */
  end(id: RequestId, error?: string): void {
    const noted = this.#all.get(id)
    if (!noted) return
    const { error: _, ...rest } = noted
    this.#write({ ...rest, over: true, ...(error !== undefined && { error }) })
    const old = this.#inOrder().filter((one) => one.over && one.error === undefined)
    for (const one of old.slice(0, Math.max(0, old.length - mostRemembered))) {
      removeFile(this.#fileOf(one.id))
      this.#all.delete(one.id)
    }
  }

  #inOrder(): NotedRequest[] {
    return [...this.#all.values()].sort((one, other) => one.nth - other.nth)
  }

  #write(noted: NotedRequest): NotedRequest {
    writeDurably(this.#fileOf(noted.id), noted)
    this.#all.set(noted.id, noted)
    return noted
  }

  #fileOf(id: RequestId): string {
    return path.join(this.#folder, `${id}.json`)
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    // There was no request yet.
    return []
  }
}

function read(file: string): NotedRequest | null {
  try {
    return NotedRequest.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}
