import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { describe, expect, it } from 'vitest'
import { BundleChain, numberBefore } from './bundle-chain.ts'

const bundle = `sha256_${'0'.repeat(64)}`
const runner = { kind: 'runner', generation: 1 } as const
const device = { kind: 'device', id: 'dev_1' } as const
let id = 0
const event = (params: Record<string, unknown>, by: unknown = runner) =>
  ({
    id: ++id,
    type: 'notification',
    timestamp: '2026-01-01T00:00:00.000Z',
    by,
    notification: { jsonrpc: '2.0', method: '_posthog/git_commit', params: { bundle, ...params } },
  }) as SeenEvent
const checkpoint = (sha: string, after: string | null, number: number) =>
  event({ kind: 'checkpoint', sha, after, number, upTo: number * 10 })

function lineOf(...events: SeenEvent[]): BundleChain {
  const line = new BundleChain()
  for (const one of events) line.take(one)
  return line
}

const base = event({ kind: 'base', sha: 'ba5e', upTo: 0 }, device)

describe('the bundles from which a workspace can be restored', () => {
  it('is nothing, then the base, then the newest checkpoint with all that it comes after', () => {
    expect(lineOf().newest).toBeNull()
    expect(lineOf(base).newest?.sha).toBe('ba5e')
    const line = lineOf(base, checkpoint('aaaa', 'ba5e', 1), checkpoint('bbbb', 'aaaa', 2))
    expect(line.newest?.sha).toBe('bbbb')
    expect(line.leadingTo(line.newest!)?.map(({ sha }) => sha)).toEqual(['ba5e', 'aaaa', 'bbbb'])
    expect(line.nextNumber).toBe(3)
  })

  it('is an older one if something that a newer one comes after was never told, or leads in a circle', () => {
    const line = lineOf(base, checkpoint('aaaa', 'ba5e', 1), checkpoint('cccc', 'bbbb', 3))
    expect(line.newest?.sha).toBe('aaaa')
    const circle = lineOf(base, checkpoint('aaaa', 'bbbb', 1), checkpoint('bbbb', 'aaaa', 2))
    expect(circle.newest?.sha).toBe('ba5e')
  })

  it('W46 is what a device brings while the run works there, and what was before only if that is of no use', () => {
    const to = (sandbox: string) => {
      const { notification, ...moved } = event({})
      return { ...moved, notification: { ...notification, method: '_posthog/moved', params: { sandbox } } }
    }
    const later = event({ kind: 'base', sha: '1a7e', upTo: 0 }, device)
    const before = [base, checkpoint('aaaa', 'ba5e', 1)]
    expect(lineOf(...before, later).newest?.sha).toBe('aaaa')
    const line = lineOf(...before, to('none'), later, to('auto'))
    expect([line.newest?.sha, line.base?.sha, line.nextNumber]).toEqual(['1a7e', '1a7e', 2])
    line.take(checkpoint('bbbb', '1a7e', 2))
    expect(line.newest?.sha).toBe('bbbb')
    for (const sha of ['bbbb', '1a7e'])
      line.giveUp(line.leadingTo(line.newest!)!.find((one) => one.sha === sha)!)
    expect(line.newest?.sha).toBe('aaaa')
  })

  it("S15 is neither the agent's own commits nor what a device calls a checkpoint", () => {
    const commit = event({ kind: 'commit', sha: 'cccc' })
    const forged = event({ kind: 'checkpoint', sha: 'dddd', after: null, number: 1 }, device)
    const line = lineOf(base, commit, forged)
    expect(line.newest?.sha).toBe('ba5e')
    expect(line.lastCommit).toBe('cccc')
  })
})

describe('the checkpoint that another comes after', () => {
  it('builds on a checkpoint that a reader of the one before already has, and few lead to each', () => {
    const leading = (number: number): number[] =>
      number === 0 ? [] : [...leading(numberBefore(number)), number]
    for (let number = 1; number <= 2_000; number += 1) {
      const known = leading(number - 1)
      if (numberBefore(number) > 0) expect(known).toContain(numberBefore(number))
      expect(leading(number).length).toBeLessThan(50)
    }
  })

  it('sends no change more than three times', () => {
    const numbers = Array.from({ length: 1_000 }, (_, at) => at + 1)
    for (const change of [2, 100, 300, 700])
      expect(numbers.filter((n) => numberBefore(n) < change && change <= n).length).toBeLessThanOrEqual(3)
  })
})
