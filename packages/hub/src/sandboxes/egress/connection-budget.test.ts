import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { ConnectionBudget } from './connection-budget.ts'

it('one sandbox has at most half of the connections, all sandboxes together no more than the limit, and closed ones are given back', () => {
  const pool = new ConnectionBudget(64)
  const [one, other, third] = [pool.share(), pool.share(), pool.share()]
  const lines = Array.from({ length: 40 }, () => new EventEmitter())
  expect(lines.filter((line) => one.take(line))).toHaveLength(32)
  expect(lines.filter((line) => other.take(line))).toHaveLength(32)
  expect(third.isFull()).toBe(true)
  expect(third.take(new EventEmitter())).toBe(false)
  for (const line of lines) line.emit('close')
  expect(third.take(new EventEmitter())).toBe(true)
})
