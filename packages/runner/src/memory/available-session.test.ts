import { sampleHash } from '@farhand/protocol/events/sample-log'
import type { Remembered } from '@farhand/protocol/runs/agent-memories'
import { describe, expect, it } from 'vitest'
import { availableSession, type Known } from './available-session.ts'
import type { PlaceNote } from './place-note.ts'

const note: PlaceNote = { place: 'here', generation: 3, restored: 0, rewoundAt: 0, untold: null }
const memory: Remembered = {
  id: 50,
  agent: 'a',
  sessionId: 's',
  files: sampleHash('a'),
  upTo: 48,
  place: 'elsewhere',
  cwd: null,
  blobs: [],
}
const session = (generation: number): Known['session'] => ({
  agent: 'a',
  sessionId: 's',
  how: 'new',
  generation,
})
const found = (known: Partial<Known>) =>
  availableSession({ note: null, memory: null, session: session(3), generation: 4, rewoundAt: 0, ...known })

describe('an agent that starts', () => {
  it('where none has been finds no session, and is not asked for one', () => {
    expect(found({})).toEqual({ is: 'gone' })
    expect(found({ session: null })).toEqual({ is: 'gone' })
  })

  it('where none has been needs what the log has', () => {
    expect(found({ memory })).toEqual({ is: 'to-restore' })
  })

  it('where the last one was has all that that one kept, which the log need not have', () => {
    expect(found({ note })).toEqual({ is: 'own' })
    expect(found({ note, memory: { ...memory, place: 'here' } })).toEqual({ is: 'own' })
    // What its runner had left to say was said by this one.
    expect(found({ note, session: session(4) })).toEqual({ is: 'own' })
  })

  it('where it was before it worked elsewhere needs what it kept there', () => {
    expect(found({ note: { ...note, generation: 1 }, memory })).toEqual({ is: 'to-restore' })
    expect(found({ note: { ...note, generation: 1, restored: 40 }, memory })).toEqual({ is: 'to-restore' })
  })

  it('where it was before it worked elsewhere, and kept nothing there, is told what it missed', () => {
    const own = { ...memory, place: 'here' }
    const left = { ...note, generation: 1 }
    expect(found({ note: left, memory: own })).toEqual({ is: 'as-of', sessionId: 's', since: 48 })
    expect(found({ note: left })).toEqual({ is: 'gone' })
  })

  it('where a memory was put back is told the rest, until it has been', () => {
    const untold = { sessionId: 's', since: 48 }
    const restored = { ...note, restored: 50 }
    expect(found({ note: { ...restored, untold }, memory })).toEqual({
      is: 'as-of',
      sessionId: 's',
      since: 48,
    })
    expect(found({ note: restored, memory })).toEqual({ is: 'own' })
  })

  it('W39 where more is known than a rewind left needs what it knew then', () => {
    const untold = { sessionId: 's', since: 48 }
    const earlier = { ...memory, id: 20, upTo: 18 }
    const own = { ...earlier, place: 'here' }
    for (const known of [note, { ...note, restored: 20 }, { ...note, untold }])
      for (const memory of [earlier, own])
        expect(found({ note: known, memory, session: null, rewoundAt: 60 })).toEqual({ is: 'to-restore' })
    const restored = { ...note, restored: 20, rewoundAt: 60 }
    expect(found({ note: restored, memory: own, session: null, rewoundAt: 60 })).toEqual({ is: 'own' })
  })

  it('W39 where more is known than a rewind left, and nothing less was kept, is asked for no session', () => {
    const untold = { sessionId: 's', since: 48 }
    // `own` is the session that the log has after the rewind, and that is none.
    expect(found({ note: { ...note, untold }, session: null, rewoundAt: 60 })).toEqual({ is: 'own' })
  })
})
