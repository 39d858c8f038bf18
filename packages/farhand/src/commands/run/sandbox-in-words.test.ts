import { hub, type Line, sampleLog } from '@farhand/protocol/events/sample-log'
import { expect, it } from 'vitest'
import { underWay } from './sandbox-in-words.ts'

it.each([
  ['Running the setup command', ['session_start', 'phase_start setup']],
  [null, ['phase_start setup', 'phase_complete setup']],
  [null, ['phase_start setup', 'session_start']],
  [null, ['phase_start checkpointing']],
])('says %j is under way after %j', (doing, events) => {
  const lines = events.map((event) => {
    const [name, phase] = event.split(' ')
    const line: Line = [hub, `_posthog/${name}`, name === 'session_start' ? { generation: 1 } : { phase }]
    return line
  })
  expect(underWay(sampleLog(...lines))).toBe(doing)
})
