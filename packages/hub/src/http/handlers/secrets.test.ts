import { access, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { secretLimits } from '@farhand/protocol/schemas/secrets'
import { paths } from '@farhand/protocol/wire/routes'
import { expect, it } from 'vitest'
import { addUser } from '../../access/users.ts'
import { openVault } from '../../access/vault.ts'
import { openSqliteStore } from '../../store/sqlite-store.ts'
import { HubUnderTest } from '../hub-under-test.ts'

const value = 'hunter2-hunter2-hunter2'

/** Everything that lies in a folder, as one text. */
async function allIn(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n')
}

it('W41 a secret is stored, listed by its name, given to runs and deleted, and its value can be read nowhere', async () => {
  const hub = await HubUnderTest.start()
  const { project, task } = await hub.run()
  const put = (name: string, body: unknown, more = {}) =>
    hub.ask('PUT', paths.secret(project, name), { body, ...more })

  const kept = await put('NPM_TOKEN', { value })
  expect(kept).toMatchObject({ status: 200, body: { name: 'NPM_TOKEN', kind: 'env' } })
  await put('GIT', {
    value: `${value}-git`,
    kind: 'git',
    remote: 'https://git.example/acme',
    username: 'ada',
  })
  const list = await hub.ask('GET', paths.secrets(project))
  expect(list.body.items).toMatchObject([
    { name: 'GIT', kind: 'git', remote: 'https://git.example/acme' },
    { name: 'NPM_TOKEN', kind: 'env' },
  ])

  const run = (secrets: string[]) =>
    hub.ask('POST', paths.runs(project, task), {
      body: { sandbox: 'none', terms: { secrets } },
      headers: { 'Idempotency-Key': secrets.join('-') },
    })
  expect((await run(['NPM_TOKEN'])).status).toBe(201)
  expect(await run(['NPM_TOKEN', 'MISSING', 'LOST'])).toMatchObject({
    status: 404,
    body: { error: { code: 'secret.unknown', message: 'this project has no secrets MISSING, LOST' } },
  })
  expect(await run(['GIT'])).toMatchObject({ status: 400, body: { error: { field: 'terms.secrets' } } })

  const store = await openSqliteStore(join(hub.data, 'store.sqlite'))
  const vault = await openVault(hub.data, store.db, undefined)
  expect(await vault.secretsFor(project, ['NPM_TOKEN'])).toEqual({ NPM_TOKEN: value })
  const credential = await vault.credentialFor(project, 'https://git.example/acme/app.git/info/refs')
  expect(credential).toEqual({ username: 'ada', password: `${value}-git` })
  expect(await vault.credentialFor(project, 'https://git.example/other/app.git')).toBeNull()

  const all = await allIn(hub.data)
  expect(all).toContain('NPM_TOKEN')
  expect(all).not.toContain(value)
  expect(JSON.stringify([kept, list])).not.toContain(value)

  expect((await hub.ask('DELETE', paths.secret(project, 'NPM_TOKEN'))).status).toBe(200)
  expect((await hub.ask('DELETE', paths.secret(project, 'NPM_TOKEN'))).status).toBe(404)
  await expect(vault.secretsFor(project, ['NPM_TOKEN'])).rejects.toMatchObject({ code: 'secret.unknown' })

  // Moved to another name, as an attacker with write access to the database could.
  await store.db
    .updateTable('secrets')
    .set({ name: 'STOLEN', kind: 'env' })
    .where('name', '=', 'GIT')
    .execute()
  await expect(vault.secretsFor(project, ['STOLEN'])).rejects.toMatchObject({ code: 'secret.locked' })
  await store.close()
})

it('W41 only the owner of a project can list, set and remove its secrets; other users and runners cannot', async () => {
  const hub = await HubUnderTest.start()
  const at = await hub.run()
  const store = await openSqliteStore(join(hub.data, 'store.sqlite'))
  const { token: another } = await addUser(store.db, { name: 'eve', role: 'member' }, new Date())
  await store.close()
  const { token: runner } = await hub.runner(at)
  await hub.ask('PUT', paths.secret(at.project, 'A'), { body: { value } })
  for (const [method, path] of [
    ['GET', paths.secrets(at.project)],
    ['PUT', paths.secret(at.project, 'A')],
    ['DELETE', paths.secret(at.project, 'A')],
  ] as const) {
    const body = method === 'PUT' ? { body: { value: 'another value' } } : {}
    expect(await hub.ask(method, path, { ...body, token: another })).toMatchObject({ status: 404 })
    expect(await hub.ask(method, path, { ...body, token: runner })).toMatchObject({ status: 403 })
    expect(await hub.ask(method, path, { ...body, token: null })).toMatchObject({ status: 401 })
  }
})

it('W41 an error about a secret does not contain its value', async () => {
  const hub = await HubUnderTest.start()
  const { project } = await hub.run()
  const wrong = [
    ['A', { body: { value: 'x'.repeat(secretLimits.valueBytes + 1) } }, 413],
    ['A', { body: { value: `${value}\0` } }, 400],
    ['A', { body: { value: '' } }, 400],
    ['A', { body: { value: [value] } }, 400],
    ['A', { body: { value, kind: 'git' } }, 400],
    ['A', { body: { value, remote: 'https://git.example' } }, 400],
    ['A', { body: { value, kind: 'git', remote: `https://ada:${value}@git.example` } }, 400],
    ['A', { body: { value, kind: 'git', remote: `https:/ada:${value}@git.example` } }, 400],
    ['A', { raw: `{"value": "${value}` }, 400],
    ['A-B', { body: { value } }, 400],
  ] as const
  for (const [name, ask, status] of wrong) {
    const answer = await hub.ask('PUT', paths.secret(project, name), ask)
    expect(answer, JSON.stringify(ask).slice(0, 80)).toMatchObject({ status })
    expect(JSON.stringify(answer.body)).not.toContain('hunter2')
  }
  for (let nth = 0; nth < secretLimits.perProject; nth++)
    await hub.ask('PUT', paths.secret(project, `S${nth}`), { body: { value } })
  expect((await hub.ask('PUT', paths.secret(project, 'ONE_MORE'), { body: { value } })).status).toBe(400)
  expect((await hub.ask('PUT', paths.secret(project, 'S1'), { body: { value } })).status).toBe(200)
})

it('W41 with a key of its operator the data folder alone opens nothing, and with another one nothing is given', async () => {
  const [first, second] = ['k'.repeat(32), 'l'.repeat(32)]
  const before = await HubUnderTest.start()
  const { project, task } = await before.run()
  await before.ask('PUT', paths.secret(project, 'A'), { body: { value } })
  await before.hub.stop()
  await access(join(before.data, 'secrets-key'))

  const asked = { body: { sandbox: 'none', terms: { secrets: ['A'] } } }
  const sealedAnew = await HubUnderTest.on(before.data, { secretsKey: first }, before.token)
  await expect(access(join(before.data, 'secrets-key'))).rejects.toThrow('ENOENT')
  expect((await sealedAnew.ask('POST', paths.runs(project, task), asked)).status).toBe(201)
  await sealedAnew.hub.stop()

  for (const settings of [{ secretsKey: second }, {}]) {
    const locked = await HubUnderTest.on(before.data, settings, before.token)
    expect(await locked.ask('POST', paths.runs(project, task), asked)).toMatchObject({
      status: 503,
      body: { error: { code: 'secret.locked', message: expect.stringContaining('FARHAND_SECRETS_KEY') } },
    })
    await locked.hub.stop()
  }
})

it('W41 one secret that is damaged keeps neither the others nor the hub from the key of its operator', async () => {
  const hub = await HubUnderTest.start()
  const { project } = await hub.run()
  for (const name of ['ONE', 'TWO']) await hub.ask('PUT', paths.secret(project, name), { body: { value } })
  const store = await openSqliteStore(join(hub.data, 'store.sqlite'))
  await store.db.updateTable('secrets').set({ sealed: 'AAAA' }).where('name', '=', 'ONE').execute()
  const vault = await openVault(hub.data, store.db, 'k'.repeat(32))
  expect(await vault.secretsFor(project, ['TWO'])).toEqual({ TWO: value })
  await expect(vault.secretsFor(project, ['ONE'])).rejects.toMatchObject({
    code: 'secret.locked',
    message: expect.stringContaining('set ONE again'),
  })
  await store.close()
})

it('W41 nothing is sealed with a key file that is too short', async () => {
  const hub = await HubUnderTest.start()
  const store = await openSqliteStore(join(hub.data, 'store.sqlite'))
  await writeFile(join(hub.data, 'secrets-key'), '')
  await expect(openVault(hub.data, store.db, undefined)).rejects.toThrow(
    '"secrets-key" in the data folder is damaged',
  )
  await store.close()
})
