import { describe, expect, it } from 'vitest'
import { OpenStreams } from './open-streams.ts'
import type { SseStream } from './sse-stream.ts'

class Stub {
  onClose: () => void = () => {}
  left = false
  leave(): void {
    this.left = true
    this.onClose()
  }
}

describe('the open streams', () => {
  it('are ended when their token is withdrawn, and those of other tokens are not', async () => {
    const counted: number[] = []
    const streams = new OpenStreams({ set: (count: number) => counted.push(count) } as never)
    const [ada, bob, bobAgain] = [new Stub(), new Stub(), new Stub()]
    streams.add(ada as never as SseStream, 'ada')
    streams.add(bob as never as SseStream, 'bob')
    streams.add(bobAgain as never as SseStream, 'bob')
    const asked: string[] = []
    await streams.endRejected(async (token) => {
      asked.push(token)
      return token === 'ada'
    })
    expect([ada.left, bob.left, bobAgain.left]).toEqual([false, true, true])
    expect(asked).toEqual(['ada', 'bob'])
    expect(counted.at(-1)).toBe(1)
  })
})
