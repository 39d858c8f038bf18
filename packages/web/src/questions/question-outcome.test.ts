import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import { describe, expect, it } from 'vitest'
import { outcomeInWords } from './question-outcome.ts'
import { countdown } from './use-countdown.ts'

const options = [
  { optionId: 'y', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'n', name: 'Reject' },
]
const asked = {
  options,
  askedAt: '2026-01-01T10:00:00.000Z',
  timeout: 90,
  default: null,
} as unknown as OpenQuestion
const question = { asked, state: 'answered', answer: 'y', answeredBy: null, why: null } as const

describe('the end of a question', () => {
  it('says nothing while it is open', () => {
    expect(outcomeInWords({ ...question, state: 'open', answer: null })).toBeNull()
  })

  it('says who answered and what', () => {
    const at = { ...question, answeredBy: { kind: 'device', id: 'd1' } } as const
    expect(outcomeInWords(at)).toBe('Answered: Allow once, at a computer.')
    expect(outcomeInWords({ ...question, answeredBy: 'Firefox on Linux' })).toBe(
      'Answered: Allow once, by Firefox on Linux.',
    )
  })

  it('says that the user declined', () => {
    const by = { ...question, answer: null, answeredBy: 'Firefox on Linux' }
    expect(outcomeInWords(by)).toBe('Declined, by Firefox on Linux.')
    expect(outcomeInWords(by, { answer: 'y' })).toBe(
      'Another answer came first: no answer, by Firefox on Linux.',
    )
  })

  it('tells a user who pressed another button that another answer came first', () => {
    const by = { ...question, answeredBy: { kind: 'web', id: 'w' } } as const
    expect(outcomeInWords(by, { answer: 'n' })).toBe('Another answer came first: Allow once, by the user.')
    expect(outcomeInWords(by, { answer: 'y' })).toBe('Answered: Allow once, by the user.')
  })

  it('gives the reason if no user decided', () => {
    const policed = { ...question, answeredBy: 'policy:allow-edits', why: 'Edits are allowed.' }
    expect(outcomeInWords(policed)).toBe('Edits are allowed. (Allow once)')
    expect(outcomeInWords({ ...question, state: 'expired', answer: 'n' })).toBe(
      'There was no answer in time. “Reject” was taken.',
    )
    const why = 'No answer within 90 seconds, so its default was taken.'
    expect(outcomeInWords({ ...question, state: 'expired', answer: 'n', why })).toBe(`${why} (Reject)`)
    expect(outcomeInWords({ ...question, state: 'expired', answer: null, why: 'Too late.' })).toBe(
      'Too late.',
    )
  })
})

describe('a countdown', () => {
  const at = (iso: string, more = {}) => countdown({ ...asked, ...more }, Date.parse(iso))?.words ?? null

  it('says what happens when it is over', () => {
    expect(at('2026-01-01T10:00:30.000Z')).toBe('60 s left, then it is withdrawn')
    expect(at('2026-01-01T10:00:30.000Z', { default: 'n' })).toBe('60 s left, then “Reject” is taken')
    expect(at('2026-01-01T10:05:00.000Z', { default: 'n' })).toBe('Time is up: “Reject” is taken.')
  })

  it('is missing for a question that waits for ever', () => {
    expect(at('2026-01-01T10:00:30.000Z', { timeout: null })).toBeNull()
  })
})
