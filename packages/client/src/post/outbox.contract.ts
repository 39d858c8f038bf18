import { ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import type { Outbox, Unsent } from './outbox.ts'

const run = (name: string) => ({
  project: ProjectId.parse('prj_outbox01'),
  task: TaskId.parse('tsk_outbox01'),
  run: RunId.parse(`run_outbox${name}`),
})

const message = (key: string, at = run('A1'), content = key): Unsent => ({
  key,
  at,
  notification: { jsonrpc: '2.0', method: '_posthog/user_message', params: { content } },
})

const keys = async (outbox: Outbox, at = run('A1')) => (await outbox.list(at.run)).map(({ key }) => key)

/** What every outbox promises. `open` called twice with the same place must find the same messages, if it can. */
export function outboxContract(name: string, open: () => Promise<Outbox>): void {
  describe(`${name} as an outbox`, () => {
    it('lists messages in the order in which they were put', async () => {
      const outbox = await open()
      for (const key of ['b', 'c', 'a']) await outbox.put(message(key))
      expect(await keys(outbox)).toEqual(['b', 'c', 'a'])
    })

    it('keeps the messages of different runs apart', async () => {
      const outbox = await open()
      await outbox.put(message('a', run('A1')))
      await outbox.put(message('b', run('B2')))
      expect(await keys(outbox, run('B2'))).toEqual(['b'])
    })

    it('gives back what was put, field by field', async () => {
      const outbox = await open()
      await outbox.put(message('a', run('A1'), 'line\nbreak \u2028 and 🙂'))
      expect(await outbox.list(run('A1').run)).toEqual([message('a', run('A1'), 'line\nbreak \u2028 and 🙂')])
    })

    it('leaves a message as it was when its key is put again', async () => {
      const outbox = await open()
      await outbox.put(message('a', run('A1'), 'first'))
      await outbox.put(message('b'))
      await outbox.put(message('a', run('A1'), 'second'))
      expect(await outbox.list(run('A1').run)).toEqual([message('a', run('A1'), 'first'), message('b')])
    })

    it('deletes a message, and a second time does no harm', async () => {
      const outbox = await open()
      await outbox.put(message('a'))
      await outbox.put(message('b'))
      await outbox.remove('a')
      await outbox.remove('a')
      expect(await keys(outbox)).toEqual(['b'])
    })

    it('is not changed by what its caller does to a message afterwards', async () => {
      const outbox = await open()
      const mine = message('a')
      await outbox.put(mine)
      mine.notification.method = 'other'
      expect((await outbox.list(run('A1').run))[0]?.notification.method).toBe('_posthog/user_message')
    })
  })
}
