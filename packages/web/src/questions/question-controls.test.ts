import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import { describe, expect, it } from 'vitest'
import { countdown } from './question-controls.tsx'

const asked = {
  options: [
    { optionId: 'y', name: 'Allow once', kind: 'allow_once' },
    { optionId: 'n', name: 'Reject' },
  ],
  askedAt: '2026-01-01T10:00:00.000Z',
  timeout: 90,
  default: null,
} as unknown as OpenQuestion

describe('a countdown', () => {
  const at = (iso: string, more = {}) => countdown({ ...asked, ...more }, Date.parse(iso))?.words ?? null

  it('says what happens when it is over', () => {
    expect(at('2026-01-01T10:00:30.000Z')).toBe('60 s left, then it is withdrawn')
    expect(at('2026-01-01T10:00:30.000Z', { default: 'n' })).toBe('60 s left, then “Reject” is taken')
    expect(at('2026-01-01T10:05:00.000Z', { default: 'n' })).toBe('Time is up: “Reject” is taken.')
  })

  it('is not there for a question that waits for ever', () => {
    expect(at('2026-01-01T10:00:30.000Z', { timeout: null })).toBeNull()
  })
})
