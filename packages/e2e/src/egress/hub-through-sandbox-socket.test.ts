import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import { follow } from '@farhand/client/follow/follow'
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
import { HubConfig } from '@farhand/hub/config/hub-config'
import { startHub } from '@farhand/hub/hub'
import { openEgressProxy } from '@farhand/hub/sandboxes/egress/egress-proxy'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { Workspace } from '@farhand/runner/files/workspace'
import { socketFetch } from '@farhand/sync/http/lean-fetch'
import { expect, it, onTestFinished } from 'vitest'

const root = mkdtempSync(join(tmpdir(), 'farhand-hub-door-'))
const backoff = { firstMs: 10, maxMs: 100 }

async function openHub() {
  const hub = await startHub(HubConfig.parse({ port: 0, data: join(root, 'data'), logLevel: 'silent' }))
  const gateTo = (at: RunAddress) =>
    openEgressProxy({
      socketFolder: join(root, 'sandbox', 'door'),
      rules: { network: 'none', alsoHosts: [], privateHosts: 'any' },
      remotes: [],
      credentialFor: async () => null,
      hub: (socket) => hub.take(socket, at.run),
      refused: () => {},
    })
  return { hub, gateTo }
}

const hashOf = (bytes: Uint8Array) => `sha256_${createHash('sha256').update(bytes).digest('hex')}` as BlobHash

it('a runner that has only the socket of its sandbox follows its run and keeps its files, also with the next hub', async () => {
  const first = await openHub()
  const { url, ownerToken } = first.hub
  const user: Hub = { url, token: ownerToken! }
  const project = await createProject(user, { name: 'p' })
  const task = await createTask(user, project.id, { title: 't' })
  const at = addressOf(await createRun(user, project.id, task.id, { sandbox: 'none' }))
  const { token, generation } = await beginRunner(user, at)
  let closing = [await first.gateTo(at), { close: () => first.hub.stop() }]
  const over = new AbortController()
  const { signal } = over
  const folder = join(root, 'workspace')
  mkdirSync(folder)

  // Its address says where the hub is outside; a process inside the sandbox finds nothing there.
  const hub: Hub = { url, token, fetch: socketFetch(join(root, 'sandbox', 'door', 'hub.sock')) }
  const producer = new Producer(hub, at, { id: 'runner', epoch: generation, backoff, signal })
  const parts = { root: folder, state: join(root, 'state'), hub, at, producer, generation, backoff, signal }
  const workspace = new Workspace({ ...parts, on: () => {} })
  workspace.over.catch(() => {})
  onTestFinished(async () => {
    over.abort(new Error('over'))
    await workspace.over.catch(() => {})
    for (const one of closing) await one.close()
    rmSync(root, { recursive: true, force: true })
  })

  const seen: SeenEvent[] = []
  let ring = () => {}
  const reading = (async () => {
    for await (const event of follow(hub, at, { after: 0, envelope: 'stored', backoff, signal })) {
      seen.push(event)
      ring()
    }
  })()
  reading.catch(() => {})
  const until = async (isThere: () => boolean) => {
    while (!isThere()) await new Promise<void>((resolve) => (ring = resolve))
  }
  const said = (text: string) => seen.some(({ notification }) => notification.params?.content === text)
  const names = (word: string) =>
    seen.some(({ notification }) => JSON.stringify(notification).includes(`"${word}"`))

  await workspace.inStep
  const small = Array.from({ length: 200 }, () => randomBytes(500))
  const large = randomBytes(9_000_000)
  for (const [n, bytes] of small.entries()) writeFileSync(join(folder, `small-${n}`), bytes)
  writeFileSync(join(folder, 'large'), large)
  const wanted = [...small, large].map(hashOf)
  // Not their paths: of a file that is being written the log may know a beginning first.
  await until(() => wanted.every(names))
  const got: string[] = []
  for await (const { bytes } of fetchBlobs(hub, at, wanted)) got.push(hashOf(bytes!))
  expect(got.sort()).toEqual(wanted.sort())

  await post(user, at, [message('before')])
  await until(() => said('before'))
  for (const one of closing) await one.close()
  closing = []
  writeFileSync(join(folder, 'while no hub was there'), 'x')
  // At another port: another process may have got the old one meanwhile, and the program inside uses its socket only.
  const next = await openHub()
  closing = [await next.gateTo(at), { close: () => next.hub.stop() }]
  await post({ ...user, url: next.hub.url }, at, [message('after')])
  await until(() => said('after') && names('while no hub was there'))
  const ids = seen.map(({ id }) => id)
  expect(ids).toEqual(ids.map((_, n) => n + 1))
}, 120_000)

const message = (content: string) => ({
  jsonrpc: '2.0' as const,
  method: '_posthog/user_message',
  params: { content },
})
