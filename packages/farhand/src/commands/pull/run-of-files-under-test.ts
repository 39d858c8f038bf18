import { hashOf } from '@farhand/client/blobs/sha256'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import type { RunAddress } from '@farhand/protocol/wire/routes'

/** A run with files that another machine has written. */
export class RunOfFiles {
  readonly hub: Hub
  readonly at: RunAddress
  readonly #now = new Map<string, { hash: string; mode: string }>()

  private constructor(hub: Hub, at: RunAddress) {
    this.hub = hub
    this.at = at
  }

  static async begin(hub: Hub): Promise<RunOfFiles> {
    const project = await createProject(hub, { name: 'p' })
    const task = await createTask(hub, project.id, { title: 't' })
    return new RunOfFiles(hub, addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' })))
  }

  /** Writes a file, or deletes it, and gives the event that says so. */
  async write(path: string, content: string | Uint8Array | null, mode = '100644'): Promise<number> {
    const { hub, at } = this
    const was = this.#now.get(path) ?? null
    const bytes =
      typeof content === 'string' ? new TextEncoder().encode(content) : (content ?? new Uint8Array())
    const entry = content === null ? null : { hash: await hashOf(bytes), mode }
    if (entry) await uploadBlobs(hub, at, [{ hash: entry.hash, size: bytes.length, open: () => bytes }])
    if (entry) this.#now.set(path, entry)
    else this.#now.delete(path)
    const what = entry ? { action: 'modified', ...entry, size: bytes.length } : { action: 'deleted' }
    const device = { ...hub, deviceId: 'dev_elsewhere' }
    const params = { path, ...what, was }
    return (await post(device, at, { jsonrpc: '2.0', method: '_posthog/file_sync', params })).lastEventId
  }
}
