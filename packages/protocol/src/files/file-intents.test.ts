import { describe, expect, it } from 'vitest'
import { sampleHash } from '../events/sample-log.ts'
import { fileIntents } from './file-intents.ts'

const say = (method: string, params?: Record<string, unknown>) =>
  fileIntents({ jsonrpc: '2.0', method, ...(params && { params }) })
const x = { mode: '100755', hash: sampleHash('x') }

describe('the file changes that an event asks for', () => {
  for (const method of ['_posthog/file_change', '_posthog/file_sync']) {
    it(`${method} says it of one file or of several, in their order`, () => {
      const put = { path: 'a', action: 'created', ...x, was: null }
      const remove = { path: 'b', action: 'deleted', hash: sampleHash('x'), was: x }
      expect(say(method, put)).toEqual([{ path: 'a', entry: x, was: null }])
      expect(say(method, { files: [remove, put] })).toEqual([
        { path: 'b', entry: null, was: x },
        { path: 'a', entry: x, was: null },
      ])
    })

    it(`S1 ${method} without a mode is about a plain file, without was it says nothing of what it knew`, () => {
      const put = { path: 'a', action: 'modified', hash: sampleHash('y') }
      expect(say(method, put)).toEqual([
        { path: 'a', entry: { mode: '100644', hash: sampleHash('y') }, was: undefined },
      ])
      expect(say(method, { files: [put, { ...put, path: 'b', ...x }] })).toEqual([
        { path: 'a', entry: { mode: '100644', hash: sampleHash('y') }, was: undefined },
        { path: 'b', entry: x, was: undefined },
      ])
    })

    it(`W27 a malformed ${method} is ignored as a whole`, () => {
      const good = { path: 'a', action: 'created', ...x }
      expect(say(method)).toEqual([])
      expect(say(method, { path: '../a', action: 'deleted' })).toEqual([])
      expect(say(method, { files: [] })).toEqual([])
      expect(say(method, { files: [good, { ...good, path: 'a/.git/b' }] })).toEqual([])
    })
  }

  it('is nothing if the event is about something else', () => {
    expect(say('_posthog/file_kept', { path: 'a', ...x, why: 'offered', action: 'created' })).toEqual([])
    expect(say('_mine/file_sync', { path: 'a', action: 'deleted' })).toEqual([])
  })
})
