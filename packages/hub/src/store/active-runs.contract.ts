import type { RunId } from '@farhand/protocol/wire/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listRunsOf } from './listing/listed-runs.ts'
import { createRun, noteActive, noteIsOpen, runsToLookAt } from './runs.ts'
import type { Store } from './sqlite-store.ts'
import { aRun, noon } from './store.contract.ts'

/** What every store must do to list runs by when they were active. */
export function activeRunsContract(open: () => Promise<Store>): void {
  let store: Store
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())

  describe('runs of a user', () => {
    it('W2 are listed by when they were last active, page by page, also those without a known time', async () => {
      const { db } = store
      const { user, run, at } = await aRun(db)
      const later = (minutes: number) => new Date(noon.getTime() + minutes * 60_000).toISOString()
      const made = [run]
      for (let n = 1; n < 5; n++) made.push(await createRun(db, at, {}, new Date(later(n))))
      const [first, second, third, fourth, fifth] = made.map(({ id }) => id) as [RunId, ...RunId[]]
      await noteActive(db, first, later(90))
      await noteActive(db, third!, later(60))
      await db.updateTable('runs').set({ active_at: '' }).where('id', '=', second!).execute()
      const wanted = { byActivity: true } as const
      const one = await listRunsOf(db, user.id, wanted, { limit: 3 })
      expect(one.items.map(({ id }) => id)).toEqual([first, third, fifth])
      // What becomes active meanwhile is at the top, and neither repeats nor hides another one.
      await noteActive(db, fifth!, later(120))
      const two = await listRunsOf(db, user.id, wanted, { limit: 3, cursor: one.next! })
      expect(two.items.map(({ id }) => id)).toEqual([fourth, second])
      expect(two.next).toBeNull()
      await noteIsOpen(db, fourth!, false)
      const ours = async () => (await runsToLookAt(db)).filter((id) => made.some((one) => one.id === id))
      expect(await ours()).toEqual([fifth, third, second, first])
      await noteActive(db, second!, null)
      await noteIsOpen(db, second!, false)
      expect(await ours()).toEqual([fifth, third, first])
      const created = Buffer.from(`1.${first}`).toString('base64url')
      await expect(listRunsOf(db, user.id, wanted, { limit: 3, cursor: created })).rejects.toMatchObject({
        code: 'request.malformed',
      })
    })
  })
}
