import { describe, expect, it } from 'vitest'
import { LocalLog } from './local-log.ts'

const says = (method: string) => ({ jsonrpc: '2.0' as const, method })
const by = { kind: 'hub' as const }
const noFault = (error: unknown) => {
  throw error
}

describe('LocalLog', () => {
  it('gives all listeners the events in the same order, even if one replies at once', () => {
    const log = new LocalLog(noFault)
    const [one, two]: [string[], string[]] = [[], []]
    log.listen(({ notification: { method } }) => {
      one.push(method)
      if (method === 'question') log.append(says('answer'), by, () => {})
    })
    log.listen(({ notification: { method } }) => two.push(method))
    log.append(says('question'), by, () => {})
    expect(one).toEqual(['question', 'answer'])
    expect(two).toEqual(one)
  })

  it('numbers events from 1 on, and lets the fold know of one before those who listen', () => {
    const log = new LocalLog(noFault)
    const order: string[] = []
    log.listen(({ id }) => order.push(`told ${id}`))
    for (const method of ['a', 'b']) log.append(says(method), by, ({ id }) => order.push(`folded ${id}`))
    expect(order).toEqual(['folded 1', 'told 1', 'folded 2', 'told 2'])
  })
})
