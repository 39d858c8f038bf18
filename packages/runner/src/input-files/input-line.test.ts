import { checkNotification } from '@farhand/protocol/events/check-notification'
import { describe, expect, it } from 'vitest'
import { parseControlLine, parseMessageLine } from './input-line.ts'

const event = (method: string, params: object = {}) => ({ event: { jsonrpc: '2.0', method, params } })
const hash = `sha256_${'a'.repeat(64)}`

describe('a line that another program feeds', () => {
  it('is a message with all that it says', () => {
    const said = { content: 'hi', when: 'steer' }
    const meant = parseMessageLine(JSON.stringify({ type: 'user_message', ...said }))
    expect(meant).toEqual(event('_posthog/user_message', said))
    if ('event' in meant) checkNotification(meant.event, 'web')
  })

  it('is a change of files if it names their contents', () => {
    const change = { path: 'a.txt', action: 'modified', hash }
    for (const params of [change, { files: [change] }]) {
      expect(parseMessageLine(JSON.stringify({ type: 'file_sync', ...params }))).toEqual(
        event('_posthog/file_sync', params),
      )
    }
  })

  it('tells of files that changed in their place if it only names them', () => {
    const changed = ['a.txt', 'b.txt']
    expect(parseMessageLine('{"type":"file_sync","files":["a.txt","b.txt"]}')).toEqual({ changed })
    expect(parseMessageLine('{"type":"file_sync","files":[{"path":"a.txt"},"b.txt"]}')).toEqual({ changed })
  })

  it('asks for nothing if it is empty', () => {
    expect(parseMessageLine('{"type":"file_sync","files":[]}')).toEqual({ nothing: true })
    expect(parseMessageLine('  ')).toEqual({ nothing: true })
    expect(parseControlLine('')).toEqual({ nothing: true })
  })

  it('cancels or closes', () => {
    expect(parseControlLine('{"action":"cancel"}')).toEqual(event('_posthog/cancel'))
    expect(parseControlLine('{"action":"close","reason":"done"}')).toEqual(
      event('_posthog/close', { reason: 'done' }),
    )
  })

  it.each([
    ['{"type":"user_mess', 'JSON'],
    ['"user_message"', 'object'],
    ['{"type":"user_message"}', 'content'],
    ['{"type":"user_message","content":" "}', 'expected text or attachments'],
    ['{"type":"dance"}', '"dance"'],
    ['{"type":"file_sync"}', 'expected|Invalid'],
    ['{"type":"file_sync","path":"../a","action":"deleted"}', ''],
  ])('is refused if it has no meaning: %s', (line, why) => {
    expect(parseMessageLine(line)).toEqual({ trouble: expect.stringMatching(why) })
  })

  it('does not control what there is no word for', () => {
    expect(parseControlLine('{"action":"explode"}')).toEqual({
      trouble: expect.stringContaining('"explode"'),
    })
    expect(parseControlLine('{"type":"user_message","content":"hi"}')).toEqual({
      trouble: expect.stringContaining('action'),
    })
  })
})
