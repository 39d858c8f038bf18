import { describe, expect, it } from 'vitest'
import { report } from './report.ts'

const outcome = {
  figures: [
    { name: 'hub', samples: [{ 'events/s': 9000 }, { 'events/s': 11000 }] },
    { name: 'bare', samples: [{ 'events/s': 10000 }, { 'events/s': 10000 }] },
    { name: 'redis', samples: [], missing: 'not installed' },
  ],
  goals: [
    { text: 'at least 0.8x bare', metric: 'events/s', hub: 'hub', over: 'bare', atLeast: 0.8 },
    { text: 'at least 1x redis', metric: 'events/s', hub: 'hub', over: 'redis', atLeast: 1 },
  ],
  notes: ['Two rounds.'],
}

describe('report', () => {
  const text = report(
    [{ row: { name: 'append', title: 'Append' }, outcome }],
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
})
