import { describe, expect, it } from 'vitest'
import { at, file } from '../hub/run-under-test.ts'
import type { Agreement, Memory, Remembered } from './memory.ts'

type Whole = Omit<Remembered, 'agreements'>

export const agreed = (n: number): Agreement => ({ path: at(`f${n}`), entry: file(`${n}`), at: n })
export const whole = (cursor: number, rows = 3): Whole & { tree: object[] } => ({
  cursor,
  tree: Array.from({ length: rows }, (_, n) => ({
    path: at(`dir/été ${n}`),
    entry: file(`${n}`),
    by: { kind: 'runner', generation: 1 } as const,
    eventId: n + 1,
  })),
  unsettled: [{ path: at('u'), agreed: null, since: [file('x'), null] }],
  base: [{ path: at('b'), entry: file('b') }],
  position: 'here',
  maxFileBytes: 5,
})
const witness = (id: number) => ({ id, timestamp: `2026-01-01T00:00:0${id}.000Z` })

/** `start` gives what opens one memory again for each life of its folder; the life before has ended then. */
export function memoryContract(name: string, start: () => () => Memory): void {
  describe(`what a folder remembers: ${name}`, () => {
    /** What the next life of the folder begins with, and its memory. */
    async function next(open: () => Memory) {
      const memory = open()
      const loaded = await memory.load()
      return { memory, loaded: loaded && { ...loaded, tree: [...loaded.tree] } }
    }

    it('is nothing at first', async () => {
      expect((await next(start())).loaded).toBeNull()
    })

    it('S7 is what was saved and, after it, what was noted', async () => {
      const open = start()
      const { memory } = await next(open)
      await memory.save({ ...whole(7, 1234), witness: witness(1) })
      memory.note({ agreements: [agreed(1), agreed(2)], witness: witness(2) })
      memory.note({ agreements: [agreed(3)], position: 'there' })
      expect((await next(open)).loaded).toEqual({
        ...whole(7, 1234),
        position: 'there',
        witness: witness(2),
        agreements: [agreed(1), agreed(2), agreed(3)],
      })
    })

    it('S14 W11 has a note change what it names, and nothing else', async () => {
      const open = start()
      const { memory } = await next(open)
      await memory.save({ ...whole(7), witness: witness(1) })
      memory.note({ agreements: [agreed(1)], witness: null })
      expect((await next(open)).loaded).toMatchObject({ position: 'here', witness: witness(1) })
      memory.note({ position: null })
      expect((await next(open)).loaded).toMatchObject({ position: null, witness: witness(1) })
    })

    it('S7 goes on in every life where the one before stopped', async () => {
      const open = start()
      await (await next(open)).memory.save(whole(1))
      for (const n of [1, 2, 3]) (await next(open)).memory.note({ agreements: [agreed(n)] })
      expect((await next(open)).loaded?.agreements).toEqual([agreed(1), agreed(2), agreed(3)])
    })

    it('S11 is nothing while only notes are there: folder and run have not met until a whole was saved', async () => {
      const open = start()
      const { memory } = await next(open)
      memory.note({ agreements: [agreed(1)], position: null })
      const second = await next(open)
      expect(second.loaded).toBeNull()
      await second.memory.save(whole(1))
      expect((await next(open)).loaded).toMatchObject({ position: 'here', agreements: [] })
    })

    it('S7 keeps every note that is made while the whole is written, and only those', async () => {
      const open = start()
      const { memory } = await next(open)
      memory.note({ agreements: [agreed(1)] })
      const saved = memory.save(whole(2, 5000))
      memory.note({ agreements: [agreed(2)] })
      await saved
      memory.note({ agreements: [agreed(3)] })
      expect((await next(open)).loaded).toMatchObject({ cursor: 2, agreements: [agreed(2), agreed(3)] })
    })

    it('saves that overlap end with the last one, and with the notes that are newer', async () => {
      const open = start()
      const { memory } = await next(open)
      const saves = [1, 2, 3].map((n) => {
        const saved = memory.save(whole(n))
        memory.note({ agreements: [agreed(n)] })
        return saved
      })
      await Promise.all(saves)
      expect((await next(open)).loaded).toMatchObject({ cursor: 3, agreements: [agreed(3)] })
    })

    it('gives each life its own copy', async () => {
      const open = start()
      await (await next(open)).memory.save(whole(1))
      const { loaded } = await next(open)
      loaded!.unsettled[0]!.since.push(null)
      loaded!.tree.length = 0
      expect((await next(open)).loaded).toEqual({ ...whole(1), agreements: [] })
    })
  })
}
