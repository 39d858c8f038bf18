import { Refusal, Unreachable } from '@farhand/client/requests/refusal'
import { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import { describe, expect, it } from 'vitest'
import { hubFull, troubleAtBeginning } from './hub-full.ts'

const said = {
  status: 503,
  code: 'storage.full',
  message: 'no room',
  remedy: 'retry',
  retryAfterMs: 0,
} as const
const full = new Refusal(said)

describe('a full disk of the hub', () => {
  it('names a file and what to do, and is no connection that was lost', () => {
    expect(hubFull(['big.bin', 'b', 'c'].map((path) => WorkspacePath.parse(path)))).toEqual({
      is: 'trouble',
      path: 'big.bin',
      why: 'the hub has no room left for it and 2 others; free some space where the hub keeps its data',
    })
  })

  it('is what it is while a folder begins too, told once until something else is wrong', () => {
    const notes: SyncNote[] = []
    const onTrouble = troubleAtBeginning((note) => notes.push(note))
    const away = new Unreachable('no hub answers')
    for (const trouble of [full, full, away, full]) onTrouble(trouble, 1000)
    const room = {
      is: 'trouble',
      path: null,
      why: 'the hub answers, but has no room left; free some space where the hub keeps its data',
    }
    const offline = { is: 'connection', state: { is: 'offline', why: 'no hub answers' } }
    // It was away and answers again: the user must not go on reading that it is offline.
    const back = { is: 'connection', state: { is: 'live' } }
    expect(notes).toMatchObject([room, offline, back, room])
  })
})
