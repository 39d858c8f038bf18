import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Fault } from '@farhand/protocol/wire/faults'
import { ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addUser } from '../access/users.ts'
import { addCallbacks, callbacksOf } from './callbacks.ts'
import { forgetKeys, once } from './idempotency.ts'
import { listRunsOf } from './listing/listed-runs.ts'
import type { Page, Paged } from './page.ts'
import { createProject, findProject, listProjects } from './projects.ts'
import {
  closeDone,
  createRun,
  findRun,
  listRuns,
  noteIsOpen,
  noteMayWait,
  requestClose,
  runsOfProject,
  runsToClose,
} from './runs.ts'
import type { Store } from './sqlite-store.ts'
import type { Db } from './tables.ts'
import { createTask, findTask, listTasks } from './tasks.ts'

export const noon = new Date('2026-03-01T12:00:00.000Z')
export const later = (hours: number): Date => new Date(noon.getTime() + hours * 3600_000)
export const hashOf = (n: number): BlobHash => BlobHash.parse(`sha256_${n.toString(16).padStart(64, '0')}`)

let people = 0
/** A user with a project, a task and a run: what most tests start from. */
export async function aRun(db: Db) {
  const { user } = await addUser(db, { name: `person ${people++}`, role: 'member' }, noon)
  const project = await createProject(db, user.id, { name: 'Garden' }, noon)
  const task = await createTask(db, project.id, { title: 'Water it' }, noon)
  const run = await createRun(db, { project: project.id, task: task.id }, {}, noon)
  return { user, project, task, run, at: { project: project.id, task: task.id, run: run.id } }
}

/** What every relational store must do, whichever database is behind it. */
export function storeContract(open: () => Promise<Store>): void {
  let store: Store
  let db: Db
  let there: Awaited<ReturnType<typeof aRun>>
  beforeAll(async () => {
    store = await open()
    db = store.db
  })
  beforeEach(async () => {
    there = await aRun(db)
  })
  afterAll(() => store.close())

  describe('projects, tasks and runs', () => {
    it('W2 give back what was created, with an id of their kind', async () => {
      const { user, project, task, at } = there
      expect(project).toEqual({
        id: ProjectId.parse(project.id),
        name: 'Garden',
        owner: user.id,
        createdAt: noon.toISOString(),
      })
      expect(await findProject(db, project.id)).toEqual(project)
      expect(await findTask(db, project.id, task.id)).toEqual({
        id: TaskId.parse(task.id),
        project: project.id,
        title: 'Water it',
        prompt: null,
        createdAt: noon.toISOString(),
      })
      const terms = { network: 'none' as const, idleMinutes: 5 }
      const body = { agent: 'opencode', mode: 'background' as const, sandbox: 'none', terms }
      const run = await createRun(db, at, body, noon)
      expect(run).toEqual({
        id: RunId.parse(run.id),
        project: at.project,
        task: at.task,
        ...body,
        createdAt: noon.toISOString(),
        forkOf: null,
      })
      expect(await findRun(db, { ...at, run: run.id })).toEqual({ ...run, owner: user.id })
    })

    it('W2 do not exist under the wrong parent', async () => {
      const other = await aRun(db)
      expect(await findTask(db, other.project.id, there.task.id)).toBeNull()
      expect(await findRun(db, { ...there.at, project: other.project.id })).toBeNull()
      expect(await findRun(db, { ...there.at, task: other.task.id })).toBeNull()
      expect(await findRun(db, { ...other.at, run: there.run.id })).toBeNull()
      const stray = { project: other.project.id, task: there.task.id }
      expect(await listRuns(db, stray, { limit: 50 })).toEqual({ items: [], next: null })
    })

    it('are found together: all runs of a project', async () => {
      const task = await createTask(db, there.project.id, { title: 'Another' }, noon)
      const run = await createRun(db, { project: there.project.id, task: task.id }, {}, noon)
      await aRun(db)
      expect(await runsOfProject(db, there.project.id)).toEqual([there.run.id, run.id].sort())
    })

    it('keep any text as it was written', async () => {
      const title = `"quoted" 'twice' ;-- 😀 ${'long '.repeat(1000)}\n`
      const { id } = await createTask(db, there.project.id, { title, prompt: title }, noon)
      expect(await findTask(db, there.project.id, id)).toMatchObject({ title, prompt: title })
    })

    it.each(['a\0b', 'half a pair: \ud800'])('refuse text that no database keeps: %j', async (name) => {
      const refused = createProject(db, there.user.id, { name }, noon)
      await expect(refused).rejects.toMatchObject({ code: 'request.malformed' })
    })
  })

  describe.each([
    {
      of: 'projects',
      list: (page: Page): Promise<Paged<{ id: string }>> => listProjects(db, there.user.id, page),
      create: () => createProject(db, there.user.id, { name: 'More' }, noon),
      first: () => there.project.id as string,
    },
    {
      of: 'tasks',
      list: (page: Page): Promise<Paged<{ id: string }>> => listTasks(db, there.project.id, page),
      create: () => createTask(db, there.project.id, { title: 'More' }, noon),
      first: () => there.task.id as string,
    },
    {
      of: 'runs',
      list: (page: Page): Promise<Paged<{ id: string }>> => listRuns(db, there.at, page),
      create: () => createRun(db, there.at, {}, noon),
      first: () => there.run.id as string,
    },
    {
      of: 'all runs of a user',
      list: (page: Page): Promise<Paged<{ id: string }>> => listRunsOf(db, there.user.id, {}, page),
      create: async () => {
        const project = await createProject(db, there.user.id, { name: 'More' }, noon)
        const task = await createTask(db, project.id, { title: 'More' }, noon)
        return await createRun(db, { project: project.id, task: task.id }, {}, noon)
      },
      first: () => there.run.id as string,
    },
  ])('a list of $of', ({ list, create, first }) => {
    const ids = (page: Paged<{ id: string }>) => page.items.map((item) => item.id)

    it('W2 is newest first, even of one moment, and holds only what is of the parent', async () => {
      const second = await create()
      const third = await create()
      await aRun(db)
      const page = await list({ limit: 50 })
      expect(ids(page)).toEqual([third.id, second.id, first()])
      expect(page.next).toBeNull()
    })

    it('W2 continues after a cursor without repeating or skipping, even if more is created meanwhile', async () => {
      const made: string[] = [first()]
      for (let n = 0; n < 6; n++) made.push((await create()).id)
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await list({ limit: 3, cursor })
        seen.push(...ids(page))
        cursor = page.next ?? undefined
        await create()
      } while (cursor !== undefined)
      expect(seen).toEqual(made.reverse())
    })

    it('ends without a cursor when the last page is just full', async () => {
      await create()
      expect((await list({ limit: 2 })).next).toBeNull()
    })

    it.each(['', 'x', 'bm9uc2Vuc2U', '../..', 'MQ=='])('refuses the cursor %j', async (cursor) => {
      const refusal: Fault = await list({ limit: 3, cursor }).then(
        () => expect.unreachable(),
        (error) => error,
      )
      expect(refusal).toMatchObject({ code: 'request.malformed', details: { field: 'cursor' } })
    })
  })

  describe('all runs of a user', () => {
    it('W2 say what they belong to, and whether they may be open', async () => {
      const { user, run, at } = there
      const closed = await createRun(db, at, {}, noon)
      await noteIsOpen(db, closed.id, false)
      const named = {
        projectName: 'Garden',
        title: 'Water it',
        isArchived: false,
        isMuted: false,
        seen: null,
        role: 'owner',
        schedule: null,
        delegated: null,
      }
      expect((await listRunsOf(db, user.id, {}, { limit: 5 })).items).toEqual([
        { ...closed, ...named, isOpen: false },
        { ...run, ...named, isOpen: true },
      ])
      const open = await listRunsOf(db, user.id, { isOpen: true }, { limit: 5 })
      expect(open.items.map(({ id }) => id)).toEqual([run.id])
      await noteIsOpen(db, closed.id, true)
      expect((await listRunsOf(db, user.id, { isOpen: true }, { limit: 5 })).items).toHaveLength(2)
    })

    it('W2 are found by whether they may wait for a person, however old, and page by page', async () => {
      const { user, run, at } = there
      const waiting = [run]
      for (let n = 0; n < 3; n++) {
        await createRun(db, at, {}, noon)
        waiting.unshift(await createRun(db, at, {}, noon))
      }
      for (const { id } of waiting) await noteMayWait(db, id, true)
      const wanted = { isOpen: true, mayWait: true } as const
      const first = await listRunsOf(db, user.id, wanted, { limit: 3 })
      const rest = await listRunsOf(db, user.id, wanted, { limit: 3, cursor: first.next! })
      const found = [...first.items, ...rest.items].map(({ id }) => id)
      expect(found).toEqual(waiting.map(({ id }) => id))
      expect(rest.next).toBeNull()
      await noteMayWait(db, run.id, false)
      await noteIsOpen(db, waiting[0]!.id, false)
      const left = (await listRunsOf(db, user.id, wanted, { limit: 9 })).items.map(({ id }) => id)
      expect(left).toEqual(found.slice(1, -1))
    })

    it('are found by how their ids begin, letter for letter', async () => {
      const { user, run, at } = there
      const other = await createRun(db, at, {}, noon)
      const found = async (begins: string) =>
        (await listRunsOf(db, user.id, { begins }, { limit: 5 })).items.map(({ id }) => id)
      expect(await found('run_')).toEqual([other.id, run.id])
      expect(await found(run.id)).toEqual([run.id])
      expect(await found(run.id.slice(0, -1))).toEqual([run.id])
      expect(await found(`${run.id}0`)).toEqual([])
      expect(await found(run.id.toLowerCase() === run.id ? 'RUN' : run.id.toLowerCase())).toEqual([])
      expect(await found('run_%')).toEqual([])
    })
  })

  describe('a request to close a run', () => {
    it('W22 waits, the oldest first, until it is done', async () => {
      const other = await aRun(db)
      const second = await requestClose(db, other.run.id, later(1))
      const first = await requestClose(db, there.run.id, noon)
      expect(await runsToClose(db)).toEqual([
        { run: there.run.id, requestedAt: first },
        { run: other.run.id, requestedAt: second },
      ])
      await closeDone(db, there.run.id, first)
      await closeDone(db, other.run.id, second)
      expect(await runsToClose(db)).toEqual([])
    })

    it('W22 is not taken back by the end of an earlier one, even one of the same moment', async () => {
      const earlier = await requestClose(db, there.run.id, noon)
      const newer = await requestClose(db, there.run.id, noon)
      await closeDone(db, there.run.id, earlier)
      expect(await runsToClose(db)).toEqual([{ run: there.run.id, requestedAt: newer }])
      await closeDone(db, there.run.id, newer)
      expect(await runsToClose(db)).toEqual([])
    })

    it('W22 made many times at once is one note, and all but its holder leave it', async () => {
      const made = await Promise.all(Array.from({ length: 5 }, () => requestClose(db, there.run.id, noon)))
      expect(new Set(made).size).toBe(5)
      const [kept, ...others] = made.sort().reverse()
      for (const earlier of others) await closeDone(db, there.run.id, earlier)
      expect(await runsToClose(db)).toEqual([{ run: there.run.id, requestedAt: kept }])
      await closeDone(db, there.run.id, kept!)
    })
  })

  describe('callbacks', () => {
    it('W14 are kept per run, and the same URL again takes the place of the one before and goes on where that was', async () => {
      const { run } = there
      await addCallbacks(db, run.id, [{ url: 'https://a.example/', events: ['done'], secret: 's' }], noon, 3)
      await addCallbacks(db, run.id, [{ url: 'https://b.example/', events: ['error', 'question'] }], noon)
      await addCallbacks(db, run.id, [{ url: 'https://a.example/', events: ['done', 'error'] }], later(1), 9)
      expect(await callbacksOf(db, run.id)).toEqual([
        { url: 'https://a.example/', events: ['done', 'error'], secret: null, sentTo: 3 },
        { url: 'https://b.example/', events: ['error', 'question'], secret: null, sentTo: null },
      ])
      expect(await callbacksOf(db, (await aRun(db)).run.id)).toEqual([])
    })

    it('W14 are at most 20 for a run, and one too many registers none of those that came with it', async () => {
      const { run } = there
      const some = (from: number, count: number) =>
        Array.from({ length: count }, (_, n) => ({
          url: `https://${from + n}.example/`,
          events: ['done' as const],
        }))
      await addCallbacks(db, run.id, some(0, 15), noon)
      await expect(addCallbacks(db, run.id, some(15, 6), noon)).rejects.toMatchObject({
        code: 'request.malformed',
        details: { field: 'callbacks' },
      })
      expect(await callbacksOf(db, run.id)).toHaveLength(15)
      await addCallbacks(db, run.id, some(10, 10), noon)
      expect(await callbacksOf(db, run.id)).toHaveLength(20)
    })
  })

  describe('a creating call', () => {
    const call = (key: string | undefined, body: unknown = { name: 'Once' }, route = 'POST /api/projects') =>
      once(db, { user: there.user.id, key, route, body }, (trx) =>
        createProject(trx, there.user.id, { name: 'Once' }, noon),
      )
    const count = async () => (await listProjects(db, there.user.id, { limit: 50 })).items.length

    it('W9 made twice under one key creates once and answers the same', async () => {
      const before = await count()
      const first = await call('k')
      expect(await call('k')).toEqual(first)
      expect(await count()).toBe(before + 1)
    })

    it('W9 made at the same time under one key creates once', async () => {
      const before = await count()
      const answers = await Promise.all(Array.from({ length: 20 }, () => call('k')))
      expect(new Set(answers.map((answer) => answer.id)).size).toBe(1)
      expect(await count()).toBe(before + 1)
    })

    it('W9 under a used key with another body or to another place is refused and creates nothing', async () => {
      await call('k')
      const before = await count()
      await expect(call('k', { name: 'Other' })).rejects.toMatchObject({ code: 'key.reused' })
      await expect(call('k', { name: 'Once' }, 'POST /other')).rejects.toMatchObject({ code: 'key.reused' })
      expect(await count()).toBe(before)
    })

    it('W9 under the key of another user is a call of its own', async () => {
      const mine = await call('k')
      there = await aRun(db)
      expect((await call('k')).id).not.toBe(mine.id)
    })

    it('W9 is forgotten after a while, so that keys do not pile up', async () => {
      const first = await call('k')
      const taken = await db
        .selectFrom('idempotency')
        .selectAll()
        .where('key', '=', 'k')
        .executeTakeFirstOrThrow()
      const more = Array.from({ length: 1200 }, (_, n) => ({ ...taken, key: `more ${n}` }))
      await db.insertInto('idempotency').values(more).execute()
      await forgetKeys(db, new Date(Date.now() - 3600_000))
      expect(await call('k')).toEqual(first)
      expect(await forgetKeys(db, new Date(Date.now() + 3600_000))).toBeGreaterThanOrEqual(1201)
      expect((await call('k')).id).not.toBe(first.id)
    })

    it('without a key creates each time', async () => {
      expect((await call(undefined)).id).not.toBe((await call(undefined)).id)
    })

    it('that fails leaves its key free and nothing behind', async () => {
      const before = await count()
      const failing = once(db, { user: there.user.id, key: 'k', route: 'r', body: 1 }, async (trx) => {
        await createProject(trx, there.user.id, { name: 'Half' }, noon)
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(await count()).toBe(before)
      await call('k')
      expect(await count()).toBe(before + 1)
    })
  })
}
