import type { Notification } from '@farhand/protocol/wire/event'
import { limits } from '@farhand/protocol/wire/limits'
import { describe, expect, it } from 'vitest'
import { wellFormed } from './well-formed.ts'

const event = (update: unknown): Notification => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { update },
})
const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown[]
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

describe('an agent’s value, made well-formed', () => {
  it('is the very same object if there is nothing to mend', () => {
    const fine = event({ sessionUpdate: 'plan', entries: [{ content: 'Smile 🙂', priority: 1 }, null] })
    expect(wellFormed(fine)).toBe(fine)
    const silent: Notification = { jsonrpc: '2.0', method: '_posthog/pause' }
    expect(wellFormed(silent)).toBe(silent)
  })

  it.each([99, 100, 1000, 200_000])('is never nested deeper than the wire allows: %i levels', (levels) => {
    const mended = wellFormed(event({ sessionUpdate: 'odd', tree: nested(levels) }))
    expect(depthOf(mended)).toBeLessThan(limits.eventDepth)
    const flat = JSON.stringify(mended)
    // Every bracket is still there, some of them in a text.
    expect(flat.match(/\[/g)).toHaveLength(levels)
  })

  it('has JSON text in place of a part that is too deep, which gives the value back', () => {
    const deep: Record<string, unknown> = { 'a"b': [1, 'x', null, true, { c: {} }], '': [] }
    let value: unknown = deep
    for (let level = 0; level < 120; level++) value = { in: value, beside: level }
    let mended = wellFormed(event(value)).params!.update as Record<string, unknown> | string
    let steps = 0
    while (typeof mended !== 'string') {
      mended = mended.in as Record<string, unknown> | string
      steps++
    }
    let rest = JSON.parse(mended) as Record<string, unknown>
    for (; steps < 120; steps++) rest = rest.in as Record<string, unknown>
    expect(rest).toEqual(deep)
  })

  it('has no half characters, neither in texts nor in names', () => {
    const mended = wellFormed(event({ 'k\ud800': ['a\udc00b', { deep: '\ud83d' }], fine: '🙂' }))
    expect(mended.params!.update).toEqual({ 'k\ufffd': ['a\ufffdb', { deep: '\ufffd' }], fine: '🙂' })
  })

  it('keeps a member that is called __proto__', () => {
    const odd = event(JSON.parse('{"__proto__": {"x": "\\ud800"}, "y": 1}'))
    expect(JSON.stringify(wellFormed(odd).params!.update)).toBe('{"__proto__":{"x":"\ufffd"},"y":1}')
  })
})
