import { Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { chunk, HubUnderTest, message } from './hub-under-test.ts'

/** What a hub writes to its connections from now on that these tell apart, in its order. */
function written(hub: HubUnderTest, kinds: Readonly<Record<string, RegExp>>): string[] {
  const order: string[] = []
  const port = Number(new URL(hub.hub.url).port)
  const { write } = Socket.prototype
  Socket.prototype.write = function (this: Socket, ...given: Parameters<typeof write>) {
    const [bytes] = given as unknown as [string | Uint8Array]
    const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString()
    if (this.localPort === port)
      for (const [kind, pattern] of Object.entries(kinds)) if (pattern.test(text)) order.push(kind)
    return write.apply(this, given)
  } as typeof write
  onTestFinished(() => {
    Socket.prototype.write = write
  })
  return order
}

it('W5 W10 a writer is sent its ack before any of many readers is sent what it wrote', async () => {
  const hub = await HubUnderTest.start()
  const at = await hub.run()
  const { token } = await hub.runner(at)
  const readers = await Promise.all(Array.from({ length: 8 }, () => hub.stream(at)))
  for (const reader of readers) await reader.until(({ event }) => event === 'live')
  const order = written(hub, { ack: /"ids":\[\d+\]/, frame: /^id: \d+$/m })
  const last = async (id: number) => {
    for (const reader of readers) await reader.until((frame) => frame.id === id)
    return order.splice(0)
  }
  const expected = ['ack', ...readers.map(() => 'frame')]
  expect((await hub.post(at, message('of a person'))).body.ids).toEqual([2])
  expect(await last(2)).toEqual(expected)
  expect((await hub.post(at, chunk('of the agent'), { token })).body.ids).toEqual([3])
  expect(await last(3)).toEqual(expected)
})
