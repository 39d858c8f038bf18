import { createHash } from 'node:crypto'
import { paths } from '@farhand/protocol/wire/routes'
import { expect, it } from 'vitest'
import { HubUnderTest, message, notification } from '../hub-under-test.ts'

const bytes = 'packed'
const hash = `sha256_${createHash('sha256').update(bytes).digest('hex')}`
const key = 'a'.repeat(64)

it('W42 the files that a setup made are kept for other runs of the project, only from runs in which no agent has worked', async () => {
  const hub = await HubUnderTest.start()
  const at = await hub.run()
  const { token } = await hub.runner(at)
  const cache = { hash, paths: ['node_modules'], tree: null }
  const path = paths.setupCache(at, key)
  expect((await hub.ask('GET', path, { token })).status).toBe(404)
  expect((await hub.ask('PUT', path, { token, body: cache })).status).toBe(200)
  expect((await hub.ask('GET', path, { token })).status, 'its blob has not come').toBe(404)

  const urls = await hub.ask('POST', paths.fileUrls(at), { token, body: { hashes: [hash] } })
  const { missing } = urls.body as unknown as { missing: Record<string, string> }
  await fetch(new URL(missing[hash]!, hub.hub.url), { method: 'PUT', body: bytes })

  const task = at.task
  const other = (await hub.ask('POST', paths.runs(at.project, task), { body: { sandbox: 'none' } })).body.id
  const there = { ...at, run: other }
  const second = await hub.runner(there)
  const found = await hub.ask('GET', paths.setupCache(there, key), { token: second.token })
  expect(found).toMatchObject({ status: 200, body: cache })

  // Only its runner, for its own run, and for no path that leads elsewhere.
  expect((await hub.ask('GET', path)).status).toBe(403)
  expect((await hub.ask('GET', path, { token: second.token })).status).toBe(404)
  const outside = { ...cache, paths: ['../up'] }
  expect((await hub.ask('PUT', path, { token, body: outside })).status).toBe(400)

  await hub.post(at, message('go'))
  const ack = notification('_posthog/ack', { for: 'user_message', id: 2 })
  await hub.post(at, ack, { token })
  const poisoned = { ...cache, paths: ['node_modules', 'more'] }
  expect(await hub.ask('PUT', path, { token, body: poisoned })).toMatchObject({
    status: 403,
    body: { error: { code: 'setup.refused' } },
  })
  const after = await hub.ask('GET', paths.setupCache(there, key), { token: second.token })
  expect(after.body).toEqual(cache)
})
