import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId, RunId, UserId } from '@farhand/protocol/wire/ids'
import { CompiledQuery, Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addUser, listUsers } from '../access/users.ts'
import { activeRunsContract } from './active-runs.contract.ts'
import { listRunsOf } from './listing/listed-runs.ts'
import { migrations } from './migrations.ts'
import { packedPlaces } from './packed-places.ts'
import { projectBlobsContract } from './project-blobs.contract.ts'
import { blobsToConsider, knownBlobs } from './project-blobs.ts'
import { createProject } from './projects.ts'
import { createRun, findRun } from './runs.ts'
import { schedulesContract } from './schedules/schedules.contract.ts'
import { canMakeSmallDisk, onSmallDisk, smallDisk } from './small-disk-under-test.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { migrate, openSqliteStore } from './sqlite-store.ts'
import { aRun, hashOf, later, noon, storeContract } from './store.contract.ts'
import type { Tables } from './tables.ts'
import { createTask } from './tasks.ts'

let dir: string
let files = 0
const newFile = () => join(dir, `${files++}.sqlite`)
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'farhand-store-'))
})
afterAll(() => rm(dir, { recursive: true }))

describe('the SQLite store', () => {
  storeContract(() => openSqliteStore(newFile()))
  projectBlobsContract(() => openSqliteStore(newFile()))
  activeRunsContract(() => openSqliteStore(newFile()))
  schedulesContract(() => openSqliteStore(newFile()))

  it('finds everything again when it is opened a second time', async () => {
    const file = newFile()
    const first = await openSqliteStore(file)
    await addUser(first.db, { name: 'ada', role: 'owner' }, noon)
    await first.close()
    const second = await openSqliteStore(file)
    expect((await listUsers(second.db)).map((user) => user.name)).toEqual(['ada'])
    await second.close()
  })

  it('keeps the blobs that were known before they had places', async () => {
    const file = newFile()
    const old = new Kysely<Tables>({ dialect: sqliteDialect(file) })
    await migrate(old, migrationsBefore('0003'))
    const user = await oldUser(old, 'ada')
    const project = await createProject(old, user.id, { name: 'Garden' }, noon)
    for (const n of [1, 2]) {
      await sql`insert into blobs (project_id, hash, size, used_at, kept)
        values (${project.id}, ${hashOf(n)}, ${n}, ${noon.toISOString()}, ${n - 1})`.execute(old)
    }
    await old.destroy()
    const { db, close } = await openSqliteStore(file)
    expect(await knownBlobs(db, project.id, [hashOf(1), hashOf(2), hashOf(3)])).toEqual(
      new Set([hashOf(1), hashOf(2)]),
    )
    const found = await packedPlaces(db).find([hashOf(2)])
    expect([...found]).toEqual([[hashOf(2), { size: 2, place: null }]])
    const unused = await blobsToConsider(db, project.id, later(1), { after: null, limit: 10 })
    expect(unused).toEqual([{ hash: hashOf(1), usedAt: noon, kept: false }])
    await close()
  })

  it('lists the runs that were made before they were counted for their owners', async () => {
    const file = newFile()
    const old = new Kysely<Tables>({ dialect: sqliteDialect(file) })
    await migrate(old, migrationsBefore('0005'))
    const owners = []
    for (const name of ['ada', 'bob']) {
      const user = await oldUser(old, name)
      owners.push(user.id)
      for (const [n, hours] of [5, 1, 3].entries()) {
        const project = await createProject(old, user.id, { name }, noon)
        const task = await createTask(old, project.id, { title: 't' }, noon)
        await sql`insert into runs (id, task_id, nth, mode, created_at)
          values (${`run_0000000${n}${name}`}, ${task.id}, 1, 'interactive', ${later(hours).toISOString()})`.execute(
          old,
        )
      }
    }
    await old.destroy()
    const { db, close } = await openSqliteStore(file)
    const idsOf = async (owner: UserId) =>
      (await listRunsOf(db, owner, { isOpen: true }, { limit: 9 })).items.map(({ id }) => id)
    expect(await idsOf(owners[0]!)).toEqual(['run_00000000ada', 'run_00000002ada', 'run_00000001ada'])
    const [newest] = await idsOf(owners[1]!)
    const at = (await findRun(db, { run: RunId.parse(newest) }))!
    const { id } = await createRun(db, at, {}, noon)
    expect((await idsOf(owners[1]!)).slice(0, 2)).toEqual([id, newest])
    await close()
  })

  it('finds the runs of a user by an index, in their order', async () => {
    const file = newFile()
    const store = await openSqliteStore(file)
    const { user } = await aRun(store.db)
    const asked: CompiledQuery[] = []
    const db = new Kysely<Tables>({
      dialect: sqliteDialect(file),
      log: ({ query }) => void asked.push(query),
    })
    for (const filter of [
      {},
      { isOpen: true as const },
      { begins: 'run_a' },
      { find: 'a', isArchived: false },
    ]) {
      await listRunsOf(db, user.id, filter, { limit: 50 })
      const { sql: text, parameters } = asked.at(-1)!
      const plan = CompiledQuery.raw(`explain query plan ${text}`, [...parameters])
      const { rows } = await store.db.executeQuery<{ detail: string }>(plan)
      const steps = rows.map(({ detail }) => detail).join('; ')
      expect(steps).toMatch(/SEARCH runs USING INDEX (open_)?runs_of_owner \(owner_id=\?/)
      expect(steps).not.toContain('TEMP B-TREE')
    }
    await db.destroy()
    await store.close()
  })

  it('waits for the disk at each commit and watches over references', async () => {
    const { db, close } = await openSqliteStore(newFile())
    const pragma = async (name: string) => (await sql.raw<object>(`pragma ${name}`).execute(db)).rows[0]
    expect(await pragma('synchronous')).toEqual({ synchronous: 2 })
    expect(await pragma('journal_mode')).toEqual({ journal_mode: 'wal' })
    expect(await pragma('foreign_keys')).toEqual({ foreign_keys: 1 })
    await close()
  })

  it('keeps its file from other users of the machine', async () => {
    const file = newFile()
    const store = await openSqliteStore(file)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await store.close()
  })

  it('refuses data of a newer version and says to upgrade', async () => {
    const file = newFile()
    const store = await openSqliteStore(file)
    await migrate(store.db, { ...migrations, '9999-from-the-future': { up: async () => {} } })
    await store.close()
    await expect(openSqliteStore(file)).rejects.toThrow(/newer Farhand .*9999-from-the-future.*Upgrade/)
  })

  it('W47 leaves a browser that signed in before its 90 days, and tokens without an end', async () => {
    const file = newFile()
    const old = new Kysely<Tables>({ dialect: sqliteDialect(file) })
    await migrate(old, migrationsBefore('0031'))
    const user = await oldUser(old, 'ada')
    for (const [id, kind] of [
      ['ses_before12', 'session'],
      ['tok_before12', 'token'],
    ])
      await sql`insert into tokens (id, user_id, name, hash, created_at, last_used_at, kind)
        values (${id}, ${user.id}, 'old', ${id}, ${noon.toISOString()}, ${noon.toISOString()}, ${kind})`.execute(
        old,
      )
    await old.destroy()
    const { db, close } = await openSqliteStore(file)
    const rows = await db
      .selectFrom('tokens')
      .select(['id', 'expires_at', 'device_id'])
      .orderBy('id')
      .execute()
    expect(rows).toEqual([
      { id: 'ses_before12', expires_at: later(90 * 24).toISOString(), device_id: null },
      { id: 'tok_before12', expires_at: null, device_id: null },
    ])
    await close()
  })

  it('takes back a migration that fails half-way', async () => {
    const { db, close } = await openSqliteStore(newFile())
    const halfWay = {
      up: async (trx: typeof db) => {
        await trx.schema.createTable('half').addColumn('id', 'text').execute()
        throw new Error('out of power')
      },
    }
    await expect(migrate(db, { ...migrations, '0002-half': halfWay })).rejects.toThrow('brought up to date')
    await db.schema.createTable('half').addColumn('id', 'text').execute()
    await close()
  })

  it.runIf(canMakeSmallDisk)('says that the disk is full, and has changed nothing then', async () => {
    const said = await onSmallDisk(`
      import { openSqliteStore } from ${href('./sqlite-store.ts')}
      import { createProject, listProjects } from ${href('./projects.ts')}
      import { once } from ${href('./idempotency.ts')}
      import { addUser } from ${href('../access/users.ts')}
      const { db, close } = await openSqliteStore(${JSON.stringify(join(smallDisk, 'store.sqlite'))})
      const { user } = await addUser(db, { name: 'ada', role: 'owner' }, new Date())
      const create = (key) =>
        once(db, { user: user.id, key, route: 'r', body: 1 }, (trx) =>
          createProject(trx, user.id, { name: 'x'.repeat(5000) }, new Date()))
      const codes = []
      let created = 0
      while (codes.length < 3) await create('k' + created).then(() => created++, (fault) => codes.push(fault.code))
      const { items } = await listProjects(db, user.id, { limit: 10_000 })
      await close()
      console.log(JSON.stringify({ codes, lost: created - items.length }))`)
    expect(said).toEqual({ codes: ['storage.full', 'storage.full', 'storage.full'], lost: 0 })
  })

  it('may be created, opened and written by several processes at once', async () => {
    const file = newFile()
    const writers = ['a', 'b', 'c'].map((name) => addUsersInAnotherProcess(file, name, 30))
    await Promise.all(writers)
    const { db, close } = await openSqliteStore(file)
    expect(await listUsers(db)).toHaveLength(90)
    await close()
  })
})

/** As it was written then: what is written now has more to it than those tables. */
async function oldUser(db: Kysely<Tables>, name: string): Promise<{ id: UserId }> {
  const id = newId(UserId, 'usr')
  await db.insertInto('users').values({ id, name, role: 'member', created_at: noon.toISOString() }).execute()
  return { id }
}

const migrationsBefore = (number: string) =>
  Object.fromEntries(Object.entries(migrations).filter(([name]) => name < number))

const href = (file: string) => JSON.stringify(new URL(file, import.meta.url).href)

async function addUsersInAnotherProcess(file: string, name: string, count: number): Promise<void> {
  const script = `
    import { openSqliteStore } from ${href('./sqlite-store.ts')}
    import { addUser } from ${href('../access/users.ts')}
    const { db, close } = await openSqliteStore(${JSON.stringify(file)})
    for (let n = 0; n < ${count}; n++) await addUser(db, { name: '${name}' + n, role: 'member' }, new Date())
    await close()`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: 'inherit',
  })
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
}
