import { describe, expect, it } from 'vitest'
import { laptop, runner, sampleHash, sampleLog } from '../events/sample-log.ts'
import { WorkspaceTree } from '../files/workspace-tree.ts'
import { foldRunView } from '../runs/fold-run-view.ts'
import { emptyRunView } from '../runs/run-view.ts'
import { SeenEvent } from './seen-event.ts'

const by = (author: unknown, method = '_posthog/user_message', params: object = { content: 'hi' }) => ({
  id: 1,
  type: 'notification',
  timestamp: '2026-01-01T00:00:00.000Z',
  notification: { jsonrpc: '2.0', method, params },
  by: author,
})

describe('W27 an event of an unknown kind of author', () => {
  it('is read, and says what the hub called its author', () => {
    expect(SeenEvent.parse(by({ kind: 'robot', id: 'r1', arms: 2 })).by).toEqual({
      kind: 'other',
      said: 'robot',
      id: 'r1',
    })
    expect(SeenEvent.parse(by({ kind: 'robot' })).by).toMatchObject({ kind: 'other', id: 'robot' })
  })

  it('is folded like one that acts for a user', () => {
    const seen = SeenEvent.parse(by({ kind: 'robot', id: 'r1' }))
    const view = foldRunView(emptyRunView, seen)
    expect(view).toMatchObject({ unacked: [[1]], lastActivityAt: seen.timestamp })

    const tree = new WorkspaceTree()
    const file = { path: 'a', action: 'created', hash: sampleHash('a'), was: null }
    tree.apply(SeenEvent.parse(by({ kind: 'robot', id: 'r1' }, '_posthog/file_sync', file)))
    expect([...tree.files()]).toMatchObject([{ path: 'a', by: { kind: 'other', said: 'robot' } }])
  })

  it('does not make a damaged author of a known kind readable', () => {
    for (const author of [{ kind: 'runner' }, { kind: 'device', id: 7 }, {}, null, 'hub']) {
      expect(SeenEvent.safeParse(by(author)).success, JSON.stringify(author)).toBe(false)
    }
  })

  it('leaves authors of known kinds as they are', () => {
    for (const event of sampleLog([laptop, '_posthog/cancel'], [runner, '_mine'])) {
      expect(SeenEvent.parse(event)).toEqual(event)
    }
  })
})
