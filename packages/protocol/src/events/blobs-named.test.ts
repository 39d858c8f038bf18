import { describe, expect, it } from 'vitest'
import type { Notification } from '../wire/event.ts'
import { blobsNamed, bundlesNamed } from './blobs-named.ts'
import { sampleHash } from './sample-log.ts'

const [a, b, c] = [sampleHash('a'), sampleHash('b'), sampleHash('c')]
const say = (method: string, params?: Record<string, unknown>): Notification => ({
  jsonrpc: '2.0',
  method,
  ...(params && { params }),
})

describe('the blobs an event names', () => {
  it('W24 are found in every field of a method that can name one', () => {
    const found: [string, Record<string, unknown>, string[]][] = [
      [
        '_posthog/file_change',
        { path: 'x', action: 'created', hash: a, was: { mode: '100644', hash: b } },
        [a],
      ],
      ['_posthog/file_change', { path: 'x', action: 'deleted', hash: a }, []],
      ['_posthog/file_change', { files: [{ hash: a }, { action: 'deleted', hash: c }] }, [a]],
      ['_posthog/file_sync', { path: 'x', action: 'modified', hash: a }, [a]],
      [
        '_posthog/file_sync',
        { files: [{ hash: a }, { action: 'deleted', hash: c }, { hash: b }, { hash: a }] },
        [a, b],
      ],
      ['_posthog/file_kept', { hash: a }, [a]],
      ['_posthog/file_content', { path: 'x', content: 'text' }, []],
      ['_posthog/file_content', { path: 'x', hash: a }, [a]],
      ['_posthog/artifact', { kind: 'log', hash: a }, [a]],
      [
        '_posthog/user_message',
        {
          content: 'see',
          attachments: [
            { hash: a, name: 'x' },
            { hash: b, name: 'y' },
          ],
        },
        [a, b],
      ],
      ['_posthog/git_commit', { sha: 'abcd', bundle: a, index: b }, [a, b]],
      ['_posthog/git_commit', { sha: 'abcd', bundle: a, index: '4b825dc642cb6eb9' }, [a]],
      ['_posthog/git_commit', { sha: 'abcd', bundle: a, packIndex: b }, [a, b]],
      ['tool_call', { toolCallId: 't', blobs: [a, b, a] }, [a, b]],
      ['_mine', { blobs: [a] }, [a]],
      ['_mine', { hash: a }, []],
      ['agent_message_chunk', { text: a }, []],
    ]
    for (const [method, params, hashes] of found)
      expect(blobsNamed(say(method, params)), method).toEqual(hashes)
    expect(blobsNamed(say('_posthog/cancel'))).toEqual([])
  })

  it('W25 the bundles among them are those of commits', () => {
    expect(bundlesNamed(say('_posthog/git_commit', { bundle: a, index: b }))).toEqual([a, b])
    expect(bundlesNamed(say('_posthog/git_commit', { bundle: a, packIndex: b }))).toEqual([a, b])
    expect(bundlesNamed(say('_posthog/file_change', { hash: a }))).toEqual([])
    expect(bundlesNamed(say('_posthog/git_commit'))).toEqual([])
  })
})
