import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { roomIn, scriptedHub } from './scripted-hub.ts'

it('waits for room in an answer as often as there is none, and leaves no listener there', async () => {
  const waits: number[] = []
  const listeners: number[] = []
  const hub = await scriptedHub(async (response) => {
    const count = () => response.listenerCount('close') + response.listenerCount('error')
    listeners.push(count())
    while (waits.length < 12) {
      if (response.write('x'.repeat(1024 * 1024))) continue
      await roomIn(response)
      waits.push(waits.length)
    }
    listeners.push(count())
    response.end()
  })
  onTestFinished(() => hub.close())
  await (await fetch(hub.url)).arrayBuffer()
  expect(waits).toHaveLength(12)
  expect(listeners[1]).toBe(listeners[0])
})

it('does not wait for a reader that is gone', async () => {
  let gone: (() => void) | undefined
  const left = new Promise<void>((resolve) => {
    gone = resolve
  })
  const hub = await scriptedHub(async (response) => {
    response.destroy()
    await once(response, 'close')
    await roomIn(response)
    gone!()
  })
  onTestFinished(() => hub.close())
  await fetch(hub.url).catch(() => {})
  await left
})
