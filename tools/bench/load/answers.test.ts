import { describe, expect, it } from 'vitest'
import { type AnswerCounter, httpAnswers, redisAnswers } from './answers.ts'

function count(counter: AnswerCounter, stream: string, chunkBytes: number): number {
  let total = 0
  for (let at = 0; at < stream.length; at += chunkBytes) {
    total += counter(Buffer.from(stream.slice(at, at + chunkBytes)))
  }
  return total
}

describe('answer counters', () => {
  it('count HTTP answers with a length, without a body and in chunks, no matter where the bytes are cut', () => {
    const stream =
      'HTTP/1.1 202 Accepted\r\nContent-Length: 4\r\n\r\nabcd' +
      'HTTP/1.1 204 No Content\r\nX: y\r\n\r\n' +
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n'
    for (const chunkBytes of [1, 5, 1000]) expect(count(httpAnswers(), stream, chunkBytes)).toBe(3)
  })

  it('a refusal stops the measurement with its text', () => {
    const refusal = 'HTTP/1.1 403 Forbidden\r\ncontent-length: 6\r\n\r\nfenced'
    expect(() => count(httpAnswers(), refusal, 1000)).toThrow('answered 403: fenced')
  })

  it('count redis ids and stop at an error', () => {
    const stream = '$15\r\n1700000000000-0\r\n$15\r\n1700000000000-1\r\n'
    for (const chunkBytes of [1, 7, 1000]) expect(count(redisAnswers(), stream, chunkBytes)).toBe(2)
    expect(() => count(redisAnswers(), '-MISCONF no disk\r\n', 1000)).toThrow('MISCONF')
  })
})
