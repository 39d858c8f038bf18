import { PasswordHasher } from '@farhand/hub/access/passwords/password-hasher'
import { setPassword } from '@farhand/hub/access/user-password'
import { addUser } from '@farhand/hub/access/users'
import { HubUnderTest, message } from '@farhand/hub/http/hub-under-test'
import { openEgressProxy } from '@farhand/hub/sandboxes/egress/egress-proxy'
import { openSqliteStore } from '@farhand/hub/store/sqlite-store'
import { DeviceTokens } from '@farhand/protocol/schemas/accounts'
import { DeviceId, newId } from '@farhand/protocol/wire/ids'
import { paths } from '@farhand/protocol/wire/routes'
import { RawConnection } from '@farhand/testkit/raw-connection'
import { describe, expect, it, onTestFinished } from 'vitest'

const password = 'correct horse battery'

/** A hub with the users ada and eve, who have a password each. */
async function sharedHub() {
  const hub = await HubUnderTest.start()
  const store = await openSqliteStore(`${hub.data}/store.sqlite`)
  const hasher = new PasswordHasher()
  try {
    for (const name of ['ada', 'eve']) {
      const { user } = await addUser(store.db, { name, role: 'member' }, new Date())
      await setPassword(store.db, hasher, user.id, password, new Date())
    }
  } finally {
    await hasher.close()
    await store.close()
  }
  const post = (path: string, body: object) => hub.ask('POST', path, { token: null, body })
  const bind = async (username: string) =>
    DeviceTokens.parse((await post(paths.acpBind(), { username, password, device_name: 'laptop' })).body)
  const refresh = (refresh_token: string) => post(paths.acpRefresh(), { refresh_token })
  return { hub, post, bind, refresh }
}

const codeOf = (answer: { body: unknown }) => (answer.body as { error?: { code: string } }).error?.code

describe('the tokens of a bound device', () => {
  it('W71 that were copied are worth nothing once the device has used the next ones: a replay revokes it', async () => {
    const { hub, bind, refresh } = await sharedHub()
    const copied = await bind('ada')
    const next = DeviceTokens.parse((await refresh(copied.refresh_token)).body)
    const stream = await hub.stream(await runOf(hub, next.acp_token), '', {}, next.acp_token)
    await stream.next()
    const replay = await refresh(copied.refresh_token)
    expect([replay.status, codeOf(replay)]).toEqual([401, 'token.revoked'])
    while ((await stream.next()) !== null) {
      // The stream of the device ends, too: the hub cannot tell which of the two is the thief.
    }
    for (const token of [copied.acp_token, next.acp_token])
      expect(codeOf(await hub.ask('GET', '/api/me', { token }))).toBe('token.revoked')
    expect(codeOf(await refresh(next.refresh_token))).toBe('token.revoked')
  })

  it('W74 W75 do not let another user revoke the device, see it, or write as it', async () => {
    const { hub, bind } = await sharedHub()
    const [ada, eve] = [await bind('ada'), await bind('eve')]
    const token = eve.acp_token
    expect(codeOf(await hub.ask('DELETE', paths.device(ada.device_id), { token }))).toBe('device.unknown')
    expect(JSON.stringify((await hub.ask('GET', paths.devices(), { token })).body)).not.toContain(
      ada.device_id,
    )
    const at = await runOf(hub, token)
    const asAda = { token, headers: { 'Device-Id': ada.device_id } }
    expect(codeOf(await hub.post(at, message('as ada'), asAda))).toBe('device.refused')
    expect((await hub.ask('GET', '/api/me', { token: ada.acp_token })).status).toBe(200)
  })

  it('W75 do not let one device of a user write as another, nor any as one that was revoked', async () => {
    const { hub, bind } = await sharedHub()
    const [laptop, desktop] = [await bind('ada'), await bind('ada')]
    const at = await runOf(hub, laptop.acp_token)
    const folder = newId(DeviceId, 'dev')
    const say = (token: string, device: string) =>
      hub.post(at, message('hello'), { token, headers: { 'Device-Id': device } })
    expect((await say(laptop.acp_token, folder)).status).toBe(202)
    for (const device of [laptop.device_id, folder])
      expect(codeOf(await say(desktop.acp_token, device))).toBe('device.refused')
    await hub.ask('DELETE', paths.device(laptop.device_id), { token: desktop.acp_token })
    expect(codeOf(await say(desktop.acp_token, laptop.device_id))).toBe('device.refused')
    // The folder lies on the same computer, which was bound again.
    expect((await say(desktop.acp_token, folder)).status).toBe(202)
  })

  it('W72 cannot be had from a sandbox, whose agent could try passwords or lock its user out', async () => {
    const { hub } = await sharedHub()
    const at = await hub.run()
    const socketFolder = `${hub.data}/a/door`
    const egress = await openEgressProxy({
      socketFolder,
      rules: { network: 'none', alsoHosts: [], privateHosts: [] },
      remotes: [],
      credentialFor: async () => null,
      hub: (socket) => hub.hub.take(socket, at.run),
      refused: () => {},
    })
    onTestFinished(() => egress.close())
    const body = JSON.stringify({ username: 'ada', password, device_name: 'agent' })
    for (const path of [paths.acpBind(), paths.signIn(), paths.acpCode()]) {
      const inside = await RawConnection.open(`${socketFolder}/hub.sock`)
      onTestFinished(() => inside.leave())
      const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`
      await inside.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
      expect(await inside.answer(), path).toMatchObject({ status: 403 })
    }
  })
})

describe('guesses of a password', () => {
  it('W72 that come all at once are five; after that not even the right one binds a device, and tokens work on', async () => {
    const { hub, post, bind } = await sharedHub()
    const { acp_token: token } = await bind('ada')
    const guess = async (password: string) =>
      (await post(paths.acpBind(), { username: 'ada', password, device_name: 'guesser' })).status
    const statuses = await Promise.all(Array.from({ length: 30 }, (_, n) => guess(`wrong password ${n}`)))
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(25)
    expect(await guess(password)).toBe(429)
    expect((await hub.ask('GET', paths.devices(), { token })).body).toMatchObject({
      items: [{ isThis: true }],
    })
  })
})

/** A run of the user of this token. */
async function runOf(hub: HubUnderTest, token: string) {
  const make = async (path: string, body: object) =>
    (await hub.ask('POST', path, { token, body })).body as unknown as { id: never }
  const { id: project } = await make(paths.projects(), { name: 'p' })
  const { id: task } = await make(paths.tasks(project), { title: 't' })
  const { id: run } = await make(paths.runs(project, task), { sandbox: 'none' })
  return { project, task, run }
}
