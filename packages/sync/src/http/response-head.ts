/** The head of an answer. Header names are in lower case; repeated headers are joined. */
export type ResponseHead = {
  status: number
  statusText: string
  headers: Map<string, string>
  isOld: boolean
}

/** How the end of a body is known. */
export type BodyLength =
  | { is: 'none' }
  | { is: 'bytes'; count: number }
  | { is: 'chunks' }
  | { is: 'until-closed' }

/** Reads everything up to the empty line; throws on anything that is not HTTP/1.1. */
export function readResponseHead(text: string): ResponseHead {
  const [first = '', ...lines] = text.split('\r\n')
  const said = /^HTTP\/1\.([01]) (\d{3})(?: (.*))?$/.exec(first)
  if (!said) throw new Error(`not an HTTP/1.1 answer: ${first.slice(0, 80)}`)
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 1) throw new Error(`invalid header: ${line.slice(0, 80)}`)
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return { status: Number(said[2]), statusText: said[3] ?? '', headers, isOld: said[1] === '0' }
}

/** How long the body of an answer to a GET, PUT, POST or DELETE is. */
export function bodyLength({ status, headers }: ResponseHead): BodyLength {
  if (status === 204 || status === 304) return { is: 'none' }
  const encoding = headers.get('transfer-encoding')
  if (encoding !== undefined) {
    // A body in an unknown encoding cannot be read.
    if (encoding.toLowerCase() !== 'chunked') throw new Error(`unknown transfer encoding: ${encoding}`)
    return { is: 'chunks' }
  }
  const length = headers.get('content-length')
  if (length === undefined) return { is: 'until-closed' }
  if (!/^\d{1,15}$/.test(length)) throw new Error(`invalid content length: ${length}`)
  return length === '0' ? { is: 'none' } : { is: 'bytes', count: Number(length) }
}

/** How long a connection may rest before it is used again; 0 if it may not be. */
export function restMs({ headers, isOld }: ResponseHead, mostMs: number): number {
  if (isOld || headers.get('connection')?.toLowerCase().includes('close')) return 0
  const seconds = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '')?.[1]
  // A second less than the server said: the two clocks do not start at the same moment.
  return seconds === undefined ? mostMs : Math.max(0, Math.min(mostMs, Number(seconds) * 1000 - 1000))
}
