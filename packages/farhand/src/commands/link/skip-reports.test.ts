import { SkipReports } from '@farhand/device/linked-folders/skip-reports'
import type { Notification } from '@farhand/protocol/wire/event'
import type { SkipReason } from '@farhand/sync/engine/disk-folder'
import { describe, expect, it, vi } from 'vitest'
import { skipWords } from './keep-in-sync.ts'

const soon = { timeout: 60_000 }

const skipped = (path: string, why: SkipReason, size?: number) =>
  ({ is: 'skipped', skip: { path, why, ...(size !== undefined && { size }) } }) as const

function telling() {
  const said: { event: Notification; key: string }[] = []
  const skips = new SkipReports('garden on laptop', skipWords('farhand'))
  const begin = () => skips.begin(async (event, key) => void said.push({ event, key }))
  const messages = () => said.map(({ event }) => event.params?.message)
  return { skips, begin, said, messages }
}

describe('files of a linked folder that are not synced', () => {
  it('are told to the run, each once, also those found before it could be spoken to', async () => {
    const { skips, begin, messages, said } = telling()
    skips.note(skipped('big.iso', 'too-large', 3_000_000))
    begin()
    skips.note(skipped('big.iso', 'too-large', 4_000_000))
    skips.note(skipped('con', 'bad-name'))
    await vi.waitFor(() => expect(messages()).toHaveLength(2), soon)
    expect(messages()[0]).toMatch(
      /^Not synced from garden on laptop: big\.iso: it has 2\.9 MiB, and the limit is less/,
    )
    expect(messages()[1]).toContain('con: other systems do not allow this name')
    expect(said[0]?.event.params?.skipped).toEqual({ path: 'big.iso', why: 'too-large', size: 3_000_000 })
  })

  it('have the same keys when the folder is linked again, and others in another folder', async () => {
    const [one, two] = [telling(), telling()]
    for (const { skips, begin } of [one, two]) {
      begin()
      skips.note(skipped('big.iso', 'too-large'))
    }
    await vi.waitFor(() => expect(two.said).toHaveLength(1), soon)
    expect(two.said[0]?.key).toBe(one.said[0]?.key)
  })

  it('are not named where a rule leaves them out or they may hold a secret, and not more than people read', async () => {
    const { skips, begin, messages } = telling()
    begin()
    for (const why of ['ignored', 'looks-secret', 'newly-included', 'special'] as const)
      skips.note(skipped('.env', why))
    for (let n = 0; n < 50; n += 1) skips.note(skipped(`big-${n}`, 'too-large'))
    await vi.waitFor(() => expect(messages()).toHaveLength(21), soon)
    expect(messages().at(-1)).toBe(
      'More files of garden on laptop are not synced: farhand status lists them there.',
    )
    expect(messages().join()).not.toContain('.env')
  })

  it('do not stop those behind them where the run will not have one', async () => {
    const heard: string[] = []
    const skips = new SkipReports('a', skipWords('farhand'))
    skips.begin(async (event) => {
      heard.push(String(event.params?.message))
      throw new Error('closed')
    })
    skips.note(skipped('a', 'clash'))
    skips.note(skipped('b', 'clash'))
    await vi.waitFor(() => expect(heard).toHaveLength(2), soon)
  })
})
