import { readdir, rm } from 'node:fs/promises'
import { addUser } from '@farhand/hub/access/users'
import { openSqliteStore } from '@farhand/hub/store/sqlite-store'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { checks } from './checks.ts'
import { ask, type ServerUnderTest } from './collab-server.ts'

let hub: HubProcess
let server: ServerUnderTest

beforeAll(async () => {
  hub = await HubProcess.start({ settings: ['--idle-minutes', '0.02'] })
  const store = await openSqliteStore(`${hub.data}/store.sqlite`)
  const other = await addUser(store.db, { name: 'eve', role: 'member' }, new Date())
  await store.close()
  server = {
    url: hub.url,
    token: hub.token,
    otherToken: other.token,
    extra: { agent: 'rehearsal' },
    says: {
      work: 'plan: look around; tell\nthink for 20 ms\nrun `echo found 8`\nsay All is done.',
      ask: 'ask "Which colour?" with options red, green',
      answer: 'green',
      long: 'wait for 90 seconds',
      fail: 'fail with the model is not available',
    },
  }
})

/** A sandbox outlives its hub: each is ended first. */
afterAll(async () => {
  const { body } = await ask(server, 'GET', '/acp/tasks')
  for (const { run } of (body.items ?? []) as { run: Record<string, string> }[])
    await ask(server, 'DELETE', `/api/projects/${run.project}/tasks/${run.task}/runs/${run.run}/sync`)
  const left = async () => await readdir(`${hub.data}/sandboxes`).catch(() => [])
  await vi.waitFor(async () => expect(await left()).toEqual([]), 60_000)
  await hub.kill('SIGTERM')
  await rm(hub.data, { recursive: true, force: true })
})

describe('the collaboration protocol over the wire', () => {
  it.each(checks.map((check) => [check.of, check.says, check] as const))(
    '004 %s: %s',
    async (_of, _says, { find }) => find(server),
    180_000,
  )
})
