import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { post } from '@farhand/client/post/post'
import { Producer } from '@farhand/client/post/producer'
import type { Hub } from '@farhand/client/requests/hub'
import {
  addressOf,
  beginRunner,
  createProject,
  createRun,
  createTask,
} from '@farhand/client/resources/resources'
import { fileInEvent } from '@farhand/protocol/files/file-in-event'
import type { FileEntry } from '@farhand/protocol/methods/files'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { atEndOfFile } from '@farhand/testkit/end-of-file'
import { HubProcess } from '@farhand/testkit/hub-process'

export const hashOf = (text: string) =>
  BlobHash.parse(`sha256_${createHash('sha256').update(text).digest('hex')}`)
export const file = (text: string, mode: FileEntry['mode'] = '100644'): FileEntry => ({
  mode,
  hash: hashOf(text),
})
export const at = (path: string) => WorkspacePath.parse(path)

/** A file as a writer of a test wants it: its text, or null for none, and the text it was before. */
type Wish = { path: string; text: string | null; was?: string | null }

/** A run on a real hub, with devices and a runner that write files into it. */
export class RunUnderTest {
  readonly hub: Hub
  readonly at: RunAddress
  #runner: Producer | null = null

  private constructor(hub: Hub, at: RunAddress) {
    this.hub = hub
    this.at = at
  }

  static async on(hub: HubProcess): Promise<RunUnderTest> {
    const user: Hub = { url: hub.url, token: hub.token }
    const project = await createProject(user, { name: 'p' })
    const task = await createTask(user, project.id, { title: 't' })
    return new RunUnderTest(user, addressOf(await createRun(user, project.id, task.id, { sandbox: 'none' })))
  }

  /** Writes files as a device does, all in one event, and gives its id. */
  async device(id: string, ...wishes: Wish[]): Promise<number> {
    const hub = { ...this.hub, deviceId: `dev_${id.padEnd(8, '0')}` }
    const { lastEventId } = await post(hub, this.at, {
      jsonrpc: '2.0',
      method: '_posthog/file_sync',
      params: { files: await this.#files(wishes) },
    })
    return lastEventId
  }

  /** Writes as the run's runner, an event for each file and all at the same time; first it takes the seat. */
  async runner(...wishes: Wish[]): Promise<number> {
    return await this.say('_posthog/file_change', ...(await this.#files(wishes)))
  }

  /** What the user says to the agent. */
  async says(content: string): Promise<void> {
    await post(this.hub, this.at, { jsonrpc: '2.0', method: '_posthog/user_message', params: { content } })
  }

  async say(method: string, ...all: Record<string, unknown>[]): Promise<number> {
    if (!this.#runner) {
      const { token, generation } = await beginRunner(this.hub, this.at)
      // It would try for ever, and the port of this hub is soon that of another test.
      const over = new AbortController()
      atEndOfFile(async () => over.abort())
      const { signal } = over
      this.#runner = new Producer({ ...this.hub, token }, this.at, {
        id: 'runner',
        epoch: generation,
        signal,
      })
    }
    const events = all.map((params) => ({ jsonrpc: '2.0' as const, method, params }))
    return (await this.#runner.send(events)).at(-1)!
  }

  async store(...texts: string[]): Promise<void> {
    const uploads = texts.map((text) => {
      const bytes = new TextEncoder().encode(text)
      return { hash: hashOf(text), size: bytes.length, open: () => bytes }
    })
    await uploadBlobs(this.hub, this.at, uploads)
  }

  async #files(wishes: readonly Wish[]): Promise<Record<string, unknown>[]> {
    await this.store(...wishes.flatMap(({ text }) => (text === null ? [] : [text])))
    return wishes.map(({ path, text, was = null }) =>
      fileInEvent({
        path: at(path),
        entry: text === null ? null : file(text),
        was: was === null ? null : file(was),
        size: text === null ? null : text.length,
      }),
    )
  }
}

/** A hub for a whole file of tests. */
export async function hubForTests(): Promise<{ hub: HubProcess; close(): Promise<void> }> {
  const hub = await HubProcess.start()
  const close = async () => {
    await hub.kill()
    await rm(hub.data, { recursive: true, force: true })
  }
  return { hub, close }
}
