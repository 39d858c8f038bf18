import { describe, expect, it } from 'vitest'
import { ReadBuffers } from './read-buffers.ts'

describe('buffers for reading', () => {
  it('are made when they are needed, lent again, and never more than allowed', () => {
    const buffers = new ReadBuffers(2, 64)
    const [first, second] = [buffers.take()!, buffers.take()!]
    expect([first.length, second.length]).toEqual([64, 64])
    expect(first).not.toBe(second)
    expect(buffers.take()).toBeUndefined()
    buffers.giveBack(first)
    expect(buffers.take()).toBe(first)
  })
})
