import { type Agent, type IncomingMessage, request } from 'node:http'

export type Call = {
  method: string
  path: string
  token: string
  headers?: Record<string, string>
  body?: string
}

export type Answer = { status: number; text: string }

/** Begins a request and resolves with the head of its answer; rejects when the connection breaks before. */
export function open(port: number, call: Call, agent?: Agent): Promise<IncomingMessage> {
  const { method, path, token, headers = {}, body } = call
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        ...(agent && { agent }),
        headers: {
          Authorization: `Bearer ${token}`,
          ...(body !== undefined && {
            'Content-Type': 'application/json',
            'Content-Length': Buffer.byteLength(body),
          }),
          ...headers,
        },
      },
      resolve,
    )
    asked.on('error', reject)
    asked.end(body)
  })
}

/**
 * One request and its whole answer, without the client library and without retries: `lost` means that the caller does not
 * know whether the hub has carried it out.
 */
export async function callHub(port: number, call: Call, agent: Agent): Promise<Answer | 'lost'> {
  try {
    const answer = await open(port, call, agent)
    let text = ''
    answer.setEncoding('utf8')
    for await (const piece of answer) text += piece
    return { status: answer.statusCode!, text }
  } catch {
    return 'lost'
  }
}
