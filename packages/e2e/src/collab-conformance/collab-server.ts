/**
 * A server that speaks the collaboration protocol of seed 004, and what to say to its agent. Nothing here knows Farhand: the suite needs
 * an address and a token, and uses what Node has.
 */
export type ServerUnderTest = {
  url: string
  token: string
  /** A token of another user; without it, nothing is tried with one. */
  otherToken?: string
  /** Further fields of a new task, such as the agent that is to work on it. */
  extra?: Record<string, unknown>
  says: Prompts
}

/** What has the agent do each of these things. */
export type Prompts = {
  /** Thinks, follows a plan, uses a tool, and says something. */
  work: string
  /** Asks a question to which `answer` is an answer. */
  ask: string
  answer: string
  /** Works for a minute or more. */
  long: string
  /** Fails; null if the agent cannot be made to. */
  fail: string | null
}

/** For agents that understand English. */
export const promptsInEnglish: Prompts = {
  work: 'Make a plan of two steps. Then run the shell command "echo found 8" and say what it printed.',
  ask: 'Ask me which colour I like, red or green, and wait for my answer. Then repeat it.',
  answer: 'green',
  long: 'Run the shell command "sleep 90", then say that you are done.',
  fail: null,
}

export type Answer = { status: number; body: Record<string, unknown>; headers: Headers }

type Ask = { body?: unknown; raw?: string; token?: string | null; headers?: Record<string, string> }

export async function ask(
  server: ServerUnderTest,
  method: string,
  path: string,
  { body, raw, token = server.token, headers = {} }: Ask = {},
): Promise<Answer> {
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(`${server.url.replace(/\/+$/, '')}${path}`, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(text !== undefined && { body: text }),
  })
  const said = await response.text()
  return { status: response.status, body: asObject(said), headers: response.headers }
}

function asObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    // An answer that is no JSON has no members to look at.
    return {}
  }
}

export type Frame = { type: string; seq: number; data: Record<string, unknown> }
/** `id`: that of the message, if it has one. */
export type Message = { id: string | null; frame: Frame }

type Follow = { after?: number; lastEventId?: string; until?: (frame: Frame) => boolean }

const patienceMs = 90_000

/** The frames of a task from an event on, until the server ends the stream or one is found. */
export async function follow(
  server: ServerUnderTest,
  task: string,
  { after, lastEventId, until = () => false }: Follow = {},
): Promise<Message[]> {
  const query = after === undefined ? '' : `?last_seq=${after}`
  const gone = new AbortController()
  const timer = setTimeout(
    () => gone.abort(new Error(`nothing like that was told within ${patienceMs} ms`)),
    patienceMs,
  )
  try {
    const response = await fetch(`${server.url.replace(/\/+$/, '')}/acp/tasks/${task}/stream${query}`, {
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${server.token}`,
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
      signal: gone.signal,
    })
    if (response.status !== 200) throw new Error(`the stream was answered with ${response.status}`)
    return await readMessages(response.body!, until)
  } finally {
    clearTimeout(timer)
    gone.abort()
  }
}

async function readMessages(
  body: ReadableStream<Uint8Array>,
  until: (frame: Frame) => boolean,
): Promise<Message[]> {
  const messages: Message[] = []
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const message = messageOf(text.slice(0, end))
      text = text.slice(end + 2)
      if (!message) continue
      messages.push(message)
      if (until(message.frame)) return messages
    }
  }
  return messages
}

/** Null for a message without data, such as a sign of life. */
function messageOf(block: string): Message | null {
  let id: string | null = null
  const data: string[] = []
  for (const line of block.split('\n')) {
    if (line.startsWith('id:')) id = line.slice(3).trim()
    if (line.startsWith('data:')) data.push(line.slice(5).trim())
  }
  return data.length === 0 ? null : { id, frame: JSON.parse(data.join('\n')) }
}
