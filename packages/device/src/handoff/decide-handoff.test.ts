import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideHandoff, type HandoffState } from './decide-handoff.ts'

const sandboxRecord: HandoffState = {
  status: 'active',
  agentStatus: 'idle',
  isOnDevice: false,
  isHeard: true,
  rests: null,
  isHostedHere: false,
}
const here: HandoffState = { ...sandboxRecord, isOnDevice: true, isHostedHere: true }

describe('what comes next for a run that is handed over', () => {
  it('waits for what is under way, then has the runner rest, then takes it', () => {
    for (const [to, run] of [
      ['here', sandboxRecord],
      ['cloud', here],
    ] as const) {
      expect(decideHandoff(to, { ...run, agentStatus: 'thinking' })).toEqual({ do: 'settle', asks: false })
      expect(decideHandoff(to, { ...run, agentStatus: 'waiting' })).toEqual({ do: 'settle', asks: true })
      expect(decideHandoff(to, run)).toEqual({ do: 'rest' })
      expect(decideHandoff(to, { ...run, rests: false })).toEqual({ do: 'rest' })
      expect(decideHandoff(to, { ...run, rests: true })).toEqual({ do: 'take' })
      expect(decideHandoff(to, { ...run, isHeard: false, isHostedHere: false })).toEqual({ do: 'take' })
    }
  })

  it('takes one of which the runner has died, though a turn is open: the next one has it', () => {
    const left = { ...sandboxRecord, isHeard: false, agentStatus: 'thinking' } as const
    expect(decideHandoff('here', left)).toEqual({ do: 'take' })
  })

  it('goes on with what an earlier one did not come to, and does nothing twice', () => {
    expect(decideHandoff('here', here)).toEqual({ do: 'nothing' })
    expect(decideHandoff('here', { ...here, isHeard: false, isHostedHere: false })).toEqual({ do: 'go-on' })
    expect(decideHandoff('cloud', { ...sandboxRecord, status: 'failed' })).toEqual({ do: 'go-on' })
  })

  it('leaves alone what is closed, and what works on another device', () => {
    fc.assert(
      fc.property(fc.constantFrom('here', 'cloud'), fc.boolean(), (to, isHeard) => {
        expect(decideHandoff(to, { ...sandboxRecord, isHeard, status: 'closed' })).toMatchObject({
          why: 'closed',
        })
        const other = { ...here, isHostedHere: false }
        expect(decideHandoff(to, other)).toMatchObject({ do: 'refuse', why: 'other-device' })
      }),
    )
  })
})
