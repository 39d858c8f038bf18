import { hub, type Line, runner, sampleLog, secondRunner } from '@farhand/protocol/events/sample-log'
import { describe, expect, it } from 'vitest'
import { type Journal, wrongJournals } from './journal-rules.ts'

const chunk = (text: string, joined?: number) => ({
  jsonrpc: '2.0' as const,
  method: 'agent_message_chunk',
  params: { text, ...(joined && { joined }) },
})
const journal = (generation: number, ...texts: string[]): Journal => ({
  generation,
  entries: texts.map((text) => chunk(text)),
})
const says = (by: Line[0], text: string, joined?: number): Line => [
  by,
  'agent_message_chunk',
  chunk(text, joined).params,
]
const begin: Line = [hub, '_posthog/session_start', { generation: 2 }]
const journals = [journal(1, 'a', 'b', 'c', 'd'), journal(2, 'd', 'e')]
const wrongs = (...lines: Line[]) => wrongJournals(journals, sampleLog(...lines))

describe('the journals of runners', () => {
  it('are in the log once, no matter which runner sent an event and how it was joined', () => {
    const rest = [begin, says(secondRunner, 'd'), says(secondRunner, 'e')]
    expect(wrongs(says(runner, 'a'), says(runner, 'bc', 2), ...rest)).toEqual([])
    expect(wrongs(says(runner, 'abc', 3), begin, says(secondRunner, 'de', 2))).toEqual([])
  })

  it('are found incomplete in the log when a runner forgets the last events of the one before, and at the end of the log', () => {
    const forgetful = [journal(1, 'a', 'b'), journal(2, 'c')]
    expect(
      wrongJournals(forgetful, sampleLog(says(runner, 'a'), begin, says(secondRunner, 'c'))),
    ).not.toEqual([])
    expect(wrongs(says(runner, 'abc', 3), begin, says(secondRunner, 'd'))).not.toEqual([])
  })

  it('are found wrong in the log when an event is there twice, or in another order', () => {
    const rest = [begin, says(secondRunner, 'd'), says(secondRunner, 'e')]
    expect(wrongs(says(runner, 'abc', 3), says(runner, 'c'), ...rest)).not.toEqual([])
    expect(wrongs(says(runner, 'a'), says(runner, 'cb', 2), ...rest)).not.toEqual([])
    expect(wrongs(says(runner, 'abcde', 5))).not.toEqual([])
  })
})
