import { addUser } from '@farhand/hub/access/users'
import { HubUnderTest, message } from '@farhand/hub/http/hub-under-test'
import { openSqliteStore } from '@farhand/hub/store/sqlite-store'
import { DeviceId, newId } from '@farhand/protocol/wire/ids'
import { paths } from '@farhand/protocol/wire/routes'
import { expect, it } from 'vitest'

async function userOf(hub: HubUnderTest, name: string): Promise<string> {
  const store = await openSqliteStore(`${hub.data}/store.sqlite`)
  try {
    return (await addUser(store.db, { name, role: 'member' }, new Date())).token
  } finally {
    await store.close()
  }
}

const device = newId(DeviceId, 'dev')
const as = (id: string) => ({ headers: { 'Device-Id': id } })
const refused = { status: 403, body: { error: { code: 'device.refused' } } }

it('W2 the id of a device belongs to the first user who wrote with it, and no other user writes as that device', async () => {
  const hub = await HubUnderTest.start()
  const at = await hub.run()
  expect(await hub.post(at, message('mine'), as(device))).toMatchObject({ status: 202 })
  const eve = await userOf(hub, 'eve')
  expect(
    await hub.ask('POST', paths.projects(), { token: eve, body: { name: 'p' }, ...as(device) }),
  ).toMatchObject(refused)
  expect(await hub.ask('GET', '/api/me', { token: eve, ...as(device) })).toMatchObject(refused)
  expect(await hub.post(at, message('still mine'), as(device))).toMatchObject({ status: 202 })
  // It is written down, and the next hub knows it, too.
  await hub.hub.stop()
  const next = await HubUnderTest.on(hub.data, {}, hub.token)
  expect(await next.ask('GET', '/api/me', { token: eve, ...as(device) })).toMatchObject(refused)
  expect(await next.ask('GET', '/api/me', as(device))).toMatchObject({ status: 200 })
})

it('W2 reading makes no user the owner of a device, so that an id cannot be taken away before it is used', async () => {
  const hub = await HubUnderTest.start()
  const at = await hub.run()
  const eve = await userOf(hub, 'eve')
  await hub.ask('GET', '/api/me', { token: eve, ...as(device) })
  expect(await hub.post(at, message('mine'), as(device))).toMatchObject({ status: 202 })
})

it('W2 one user cannot invent devices without end', async () => {
  const hub = await HubUnderTest.start()
  const at = await hub.run()
  const store = await openSqliteStore(`${hub.data}/store.sqlite`)
  const { id: user } = await store.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
  const rows = Array.from({ length: 5000 }, () => ({
    id: newId(DeviceId, 'dev'),
    user_id: user,
    created_at: '',
  }))
  for (let n = 0; n < rows.length; n += 500)
    await store.db
      .insertInto('devices')
      .values(rows.slice(n, n + 500))
      .execute()
  await store.close()
  expect(await hub.post(at, message('one more'), as(device))).toMatchObject(refused)
  expect(await hub.post(at, message('a known one'), as(rows[0]!.id))).toMatchObject({ status: 202 })
})
