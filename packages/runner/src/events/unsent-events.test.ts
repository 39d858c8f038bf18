import { checkNotification } from '@farhand/protocol/events/check-notification'
import type { Notification } from '@farhand/protocol/wire/event'
import { describe, expect, it } from 'vitest'
import type { EntriesStored } from './entries-stored.ts'
import { unsentEvents } from './unsent-events.ts'

const said = ['a', 'b', 'c'].map(
  (text): Notification => ({ jsonrpc: '2.0', method: 'agent_message_chunk', params: { text } }),
)
const leftovers = { generation: 3, from: (entry: number) => said.slice(entry) }
const stored = (count: number, wasFollowed = false) => ({ count, wasFollowed }) as EntriesStored

describe('the first events of a generation', () => {
  it('are none if the runner before left none', () => {
    expect([...unsentEvents(null, stored(0))]).toEqual([])
    expect([...unsentEvents(leftovers, stored(3))]).toEqual([])
    expect([...unsentEvents(leftovers, stored(3, true))]).toEqual([])
  })

  it('are what the log does not have yet', () => {
    expect([...unsentEvents(leftovers, stored(1))]).toEqual(said.slice(1))
  })

  it('W8 are an artifact if another runner has spoken meanwhile', () => {
    const [artifact, ...more] = unsentEvents(leftovers, stored(1, true))
    expect(artifact).toMatchObject({ method: '_posthog/artifact', params: { content: said.slice(1) } })
    expect(more).toEqual([])
    checkNotification(artifact, 'runner')
  })
})
