import { describe, expect, it } from 'vitest'
import { endedWell, report } from './report.ts'

const outcome = {
  figures: [
    { name: 'hub', samples: [{ 'events/s': 9000 }, { 'events/s': 11000 }] },
    { name: 'bare', samples: [{ 'events/s': 10000 }, { 'events/s': 10000 }] },
    { name: 'redis', peer: true as const, samples: [], missing: 'not installed' },
  ],
  goals: [
    { text: 'at least 0.8x bare', metric: 'events/s', hub: 'hub', over: 'bare', atLeast: 0.8 },
    { text: 'at least 1x redis', metric: 'events/s', hub: 'hub', over: 'redis', atLeast: 1 },
  ],
  notes: ['Two rounds.'],
}

describe('report', () => {
  const text = report(
    [{ row: { name: 'append', title: 'Append' }, outcome, remark: 'The disk stands in the way.' }],
    { cores: '2' },
    'npm run bench',
    '2026-11-15',
  )

  it('says how it was made and on what', () => {
    expect(text).toContain('Made by `npm run bench` on 2026-11-15')
    expect(text).toContain('| cores | 2 |')
  })

  it('gives medians with their spread, and whether each goal was reached', () => {
    expect(text).toContain('| hub | 10,000 (9,000 to 11,000) |')
    expect(text).toContain('| Append | at least 0.8x bare | 1x (0.9 to 1.1) | yes |')
  })

  it('names a peer that was skipped', () => {
    expect(text).toContain('| redis | skipped: not installed |')
    expect(text).toContain('| Append | at least 1x redis | redis: not installed | skipped |')
  })

  it('leaves a cell empty where a contender has no such figure', () => {
    const memory = { name: 'hub', samples: [{ ms: 3, MB: 12 }] }
    const peer = { name: 'peer', samples: [{ ms: 4 }] }
    const row = { name: 'large', title: 'Large' }
    const two = report([{ row, outcome: { figures: [memory, peer], goals: [], notes: [] } }], {}, '', '')
    expect(two).toContain('| hub | 3 | 12 |\n| peer | 4 |  |')
  })

  it('ends a section with what people had to say about it', () => {
    expect(text).toContain('Two rounds.\n\n**Remarks.** The disk stands in the way.\n')
  })
})

describe('endedWell', () => {
  const [reached, noPeer] = outcome.goals
  const missed = { ...reached!, atLeast: 2 }

  it('a peer that could not be had, or an aim, harms nothing', () => {
    expect(endedWell({ ...outcome, goals: [reached!, noPeer!, { ...missed, aim: true }] })).toBe(true)
  })

  it('a missed goal is a failure', () => {
    expect(endedWell({ ...outcome, goals: [reached!, missed] })).toBe(false)
  })

  it('a hub that failed is a failure, even where no goal asks for its figures', () => {
    const broken = { name: 'hub, JSON array', samples: [], missing: 'failed: ECONNRESET' }
    expect(endedWell({ ...outcome, figures: [...outcome.figures, broken] })).toBe(false)
  })
})
