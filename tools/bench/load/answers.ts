/** Takes the next bytes of a connection; gives the number of answers that became whole with them. */
export type AnswerCounter = (chunk: Buffer) => number

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('\r\n0\r\n\r\n')

/** Counts HTTP answers; one that is not a success throws, for a rate of refusals would be a fine figure. */
export function httpAnswers(): AnswerCounter {
  return countWhole((bytes, at) => {
    const head = bytes.indexOf(headEnd, at)
    if (head < 0) return -1
    const text = bytes.toString('latin1', at, head)
    const status = text.slice(9, 12)
    if (!status.startsWith('2')) {
      throw new Error(`answered ${status}: ${bytes.toString('utf8', head + 4, head + 404).trim()}`)
    }
    const body = head + headEnd.length
    const length = /content-length: *(\d+)/i.exec(text)
    if (length !== null) {
      const end = body + Number(length[1])
      return end <= bytes.length ? end : -1
    }
    if (status === '204') return body
    const end = bytes.indexOf(lastChunk, head + 2)
    return end < 0 ? -1 : end + lastChunk.length
  })
}

/** Counts answers of redis to XADD: a length line and the id. */
export function redisAnswers(): AnswerCounter {
  return countWhole((bytes, at) => {
    const first = bytes.indexOf(10, at)
    if (first < 0) return -1
    if (bytes[at] !== 36) throw new Error(`redis answered ${bytes.toString('utf8', at, first).trim()}`)
    return bytes.indexOf(10, first + 1) + 1 || -1
  })
}

/** `endOf` gives where the answer that starts at `at` ends, or -1 while it is not whole. */
function countWhole(endOf: (bytes: Buffer, at: number) => number): AnswerCounter {
  let rest: Buffer | null = null
  return (chunk) => {
    const bytes: Buffer = rest === null ? chunk : Buffer.concat([rest, chunk])
    let count = 0
    let at = 0
    while (at < bytes.length) {
      const end = endOf(bytes, at)
      if (end < 0) break
      at = end
      count++
    }
    rest = at < bytes.length ? Buffer.from(bytes.subarray(at)) : null
    return count
  }
}
