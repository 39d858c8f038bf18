import { describe, expect, it } from 'vitest'
import { type TimingFlags, timingFromFlags, untilFrom } from './timing-from-flags.ts'

const timing = (flags: TimingFlags) => timingFromFlags(flags, 'Europe/Berlin')

describe('when a schedule is due', () => {
  it.each<[TimingFlags, object]>([
    [{ at: '2026-01-31T09:00' }, { kind: 'once', at: '2026-01-31T09:00', zone: 'Europe/Berlin' }],
    [
      { at: '2026-01-31 09:00', zone: 'UTC' },
      { kind: 'once', at: '2026-01-31T09:00', zone: 'UTC' },
    ],
    [{ every: '90m' }, { kind: 'every', seconds: 5400 }],
    [{ every: '1.5d' }, { kind: 'every', seconds: 129_600 }],
    [{ cron: ' 0 9  * * 1-5 ' }, { kind: 'cron', cron: '0 9 * * 1-5', zone: 'Europe/Berlin' }],
  ])('is read from %j', (flags, read) => expect(timing(flags)).toEqual(read))

  it.each<[TimingFlags, string]>([
    [{}, 'When is it due?'],
    [{ every: '2h', cron: '0 9 * * *' }, 'in one way only'],
    [{ every: '30s' }, '--every is "30s"'],
    [{ every: 'often' }, '--every is "often"'],
    [{ at: 'tomorrow' }, '--at is "tomorrow"'],
    [{ cron: '@daily' }, '--cron is "@daily"'],
    [{ at: '2026-01-31T09:00', zone: '?' }, '--zone is "?"'],
  ])('is refused with the flag that is wrong: %j', (flags, said) => expect(() => timing(flags)).toThrow(said))

  it('ends with a whole day, or at a time', () => {
    expect(new Date(untilFrom('2026-12-31')).getMinutes()).toBe(59)
    expect(untilFrom('2026-12-31T18:00Z')).toBe('2026-12-31T18:00:00.000Z')
    expect(() => untilFrom('later')).toThrow('--until is "later"')
    expect(() => untilFrom('2026-13-41')).toThrow('--until is "2026-13-41"')
  })
})
