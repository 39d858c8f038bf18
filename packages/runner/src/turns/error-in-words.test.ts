import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errorInWords } from './error-in-words.ts'

const refused = 'refused with 400 as scripted'

describe('an error of a model', () => {
  it.each([
    [
      'Gemini',
      `{"error":{"message":${JSON.stringify(JSON.stringify({ error: { code: 400, message: refused } }))},"code":400}}`,
    ],
    [
      'Claude',
      `API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"${refused}"}}`,
    ],
    [
      'Codex',
      `unexpected status 400 Bad Request: {"error":{"message":"${refused}","type":"x"}}, url: http://x/v1`,
    ],
    ['a list', `[{"error":{"code":400,"message":"${refused}"}}]`],
  ])('of %s is a sentence, with all that the agent said behind it', (_, message) => {
    expect(errorInWords(message)).toEqual({ message: refused, raw: message })
  })

  it('says its status where the sentence does not', () => {
    expect(errorInWords('429 {"error":{"message":"Slow down"}}').message).toBe('Slow down (status 429)')
    expect(errorInWords('{"status":503,"message":"Overloaded"}').message).toBe('Overloaded (status 503)')
  })

  it('is found beside words that stand for any error', () => {
    expect(errorInWords('Internal error', { details: 'The key is wrong' })).toEqual({
      message: 'The key is wrong',
      raw: 'Internal error {"details":"The key is wrong"}',
    })
    expect(errorInWords('Internal error', null)).toEqual({ message: 'Internal error' })
    expect(errorInWords('The key is wrong', { stack: 'at x' })).toEqual({ message: 'The key is wrong' })
  })

  it('in plain words is left as it is, brackets and all', () => {
    for (const message of [
      'It failed [twice].',
      'No such model {x}',
      'Rate limit reached. Try again in 20 s.',
    ])
      expect(errorInWords(message)).toEqual({ message })
  })

  it('is never empty or endless and has no terminal codes, for any error of an agent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), (message, data) => {
        const { message: sentence, raw = '' } = errorInWords(message, data)
        expect(sentence).not.toBe('')
        expect(sentence.length).toBeLessThan(2_200)
        expect(raw.length).toBeLessThan(8_200)
        expect(sentence).not.toContain('\u001b')
      }),
    )
    expect(errorInWords('{"a":['.repeat(100_000)).message.length).toBeLessThan(2_200)
  })
})
