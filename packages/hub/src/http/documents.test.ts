import { createHash } from 'node:crypto'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'
import { HubUnderTest, message, notification } from './hub-under-test.ts'

async function start(settings: Parameters<typeof HubUnderTest.start>[0] = {}) {
  const hub = await HubUnderTest.start(settings)
  const at = await hub.run()
  const { token } = await hub.runner(at)
  const asRunner = (body: unknown) => hub.post(at, body, { token })
  const ask = (params: Record<string, unknown>) => asRunner(notification('_posthog/agent_question', params))
  const status = async () => (await hub.ask('GET', paths.status(at))).body as Record<string, unknown>
  const log = async () =>
    String((await hub.ask('GET', paths.log(at))).body)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).notification as { method: string; params: Record<string, unknown> })
  return { hub, at, token, asRunner, ask, status, log }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

describe('W60 a file event of several paths', () => {
  const files = ['a', 'b'].map((path) => ({ path, action: 'deleted' }))

  it('W60 is one frame a path in both envelopes, and to the agent; whole for readers who ask', async () => {
    const { hub, at, token } = await start()
    await hub.post(at, notification('_posthog/file_sync', { files, note: 'both' }))
    const read = async (query: string, as = hub.token) => {
      const seen = await (await hub.stream(at, query, {}, as)).until(({ event }) => event === 'live')
      return seen.slice(0, -1).map(({ id, data }) => [id, JSON.parse(data!)] as const)
    }
    const bare = (path: string) =>
      notification('_posthog/file_sync', { note: 'both', path, action: 'deleted' })
    for (const query of ['?last_event_id=1', '?last_event_id=1&to=agent'])
      expect(await read(query, token), query).toEqual([
        [undefined, bare('a')],
        [2, bare('b')],
      ])
    const stored = await read('?last_event_id=1&envelope=stored')
    expect(stored).toMatchObject([
      [undefined, { id: 2, type: 'notification', notification: bare('a'), by: { kind: 'web' } }],
      [2, { id: 2, notification: bare('b') }],
    ])
    const [[id, whole]] = (await read('?last_event_id=1&files=together')) as [[number, unknown]]
    expect([id, whole]).toMatchObject([2, { params: { files } }])
  })
})

describe('W62 a message while a question is open', () => {
  it('W62 is the answer where it names an option, in any case, and the log has its words', async () => {
    const { hub, at, ask, log } = await start()
    const options = [
      { optionId: 'a', name: 'Use Postgres' },
      { optionId: 'b', name: 'Use SQLite' },
    ]
    await ask({ questionId: 'qst_aaaaaaaa', question: 'Which?', options })
    const answer = await hub.post(at, message(' use sqlite '))
    expect(answer).toMatchObject({ status: 202, body: { answered: 'qst_aaaaaaaa' } })
    expect((await log()).at(-1)).toMatchObject({
      method: '_posthog/user_response',
      params: { questionId: 'qst_aaaaaaaa', answer: 'b', content: ' use sqlite ', saidAs: 'user_message' },
    })
  })

  it.each([
    ['a permission', { kind: 'permission' }, {}],
    ['a permission by its options', { options: [{ optionId: 'y', name: 'yes', kind: 'allow_once' }] }, {}],
    ['a plan', { isPlan: true, options: ['yes'] }, {}],
    ['a page to open', { url: 'https://example.org' }, {}],
    ['options of other names', { options: ['no', 'never'] }, {}],
    ['two options of this name', { options: ['yes', 'YES'] }, {}],
    ['a form with more than text', { form: { type: 'object', properties: { n: { type: 'number' } } } }, {}],
    ['a message that says when', {}, { when: 'queue' }],
  ])('W62 is never an answer to %s', async (_, question, more) => {
    const { hub, at, ask, log, status } = await start()
    await ask({ questionId: 'qst_aaaaaaaa', question: 'May I?', ...question })
    const { body } = await hub.post(at, notification('_posthog/user_message', { content: 'yes', ...more }))
    expect(body).not.toHaveProperty('answered')
    expect((await log()).at(-1)).toMatchObject({ method: '_posthog/user_message' })
    expect(await status()).toMatchObject({ pendingQuestion: { questionId: 'qst_aaaaaaaa' } })
  })

  it('W62 stays a message beside two questions, in a batch, and once the question was answered', async () => {
    const { hub, at, ask, log } = await start()
    await ask({ questionId: 'qst_aaaaaaaa', question: 'One?' })
    await hub.post(at, [message('first'), message('second')])
    await ask({ questionId: 'qst_bbbbbbbb', question: 'Two?' })
    await hub.post(at, message('third'))
    await hub.post(at, notification('_posthog/user_response', { questionId: 'qst_aaaaaaaa', answer: 1 }))
    await hub.post(at, notification('_posthog/user_response', { questionId: 'qst_bbbbbbbb', answer: 1 }))
    await hub.post(at, message('fourth'))
    const words = (await log()).filter(({ method }) => method === '_posthog/user_message')
    expect(words.map(({ params }) => params.content)).toEqual(['first', 'second', 'third', 'fourth'])
  })

  it('W62 W9 sent again under its key is one answer, and a stream that is asked for it again ends', async () => {
    const { hub, at, ask, log } = await start()
    await ask({ questionId: 'qst_aaaaaaaa', question: 'Why?' })
    const headers = { 'Idempotency-Key': 'k', Accept: 'text/event-stream' }
    const first = await hub.post(at, message('because'), { headers })
    expect(first).toMatchObject({ status: 202, body: { answered: 'qst_aaaaaaaa' } })
    const again = await hub.post(at, message('because'), { headers })
    expect(String(again.body)).toContain('event: end')
    expect((await log()).filter(({ method }) => method === '_posthog/user_response')).toHaveLength(1)
  })
})

describe('W63 what programs of the seeds send', () => {
  it('W63 a batch of requests is answered with a batch of responses, each with its own event', async () => {
    const { hub, at } = await start()
    const request = (id: unknown) => ({ ...notification('_posthog/pause'), id })
    const answer = await hub.post(at, [request(1), notification('_posthog/resume'), request('b')])
    expect(answer).toMatchObject({
      status: 200,
      body: [
        { jsonrpc: '2.0', id: 1, result: { ids: [2] } },
        { jsonrpc: '2.0', id: 'b', result: { ids: [4] } },
      ],
    })
  })

  it('W63 a refused request keeps its HTTP status, and names the same error as other answers', async () => {
    const { hub, at } = await start()
    const answer = await hub.post(at, { jsonrpc: '2.0', id: 1, method: 'nothing' })
    expect(answer).toMatchObject({
      status: 400,
      body: { id: 1, error: { code: -32601, data: { code: 'method.unknown', remedy: 'fix-request' } } },
    })
  })

  it('W63 W11 a message that is a request ends the stream of its turn with the response', async () => {
    const { hub, at, asRunner } = await start()
    const headers = { Accept: 'text/event-stream' }
    const answered = hub.post(at, { ...message('go'), id: 5 }, { headers })
    const log = async () => (await hub.ask('GET', paths.log(at))).body
    await expect.poll(log, { timeout: 60_000 }).toContain('user_message')
    await asRunner(notification('_posthog/ack', { for: '_posthog/user_message', id: 2 }))
    await asRunner(notification('_posthog/turn_complete', { messageId: 2, stopReason: 'end_turn' }))
    const blocks = String((await answered).body).split('\n\n')
    expect(blocks.at(-3)).toBe('data: {"jsonrpc":"2.0","id":5,"result":{"ids":[2],"lastEventId":2}}')
  })

  it('W63 contents inside a file event have limits, and have to be what their hash says', async () => {
    const { hub, at, status } = await start()
    const sync = (file: unknown) => hub.post(at, notification('_posthog/file_sync', file as never))
    expect(await sync({ path: 'a', content: 'x'.repeat(256 * 1024 + 1) })).toMatchObject({ status: 413 })
    const quarter = Array.from({ length: 5 }, (_, n) => ({ path: `${n}`, content: `${n}`.repeat(250_000) }))
    expect(await sync({ files: quarter })).toMatchObject({ status: 413 })
    expect(await sync({ path: 'a', content: 'x', hash: hashOf('y') })).toMatchObject({
      status: 400,
      body: { error: { code: 'blob.mismatch' } },
    })
    expect(await status()).toMatchObject({ lastEventId: 1 })
    expect(await sync({ path: 'a', content: 'x', hash: hashOf('x') })).toMatchObject({ status: 202 })
    const { body } = await hub.ask('GET', paths.runFile(at, hashOf('x')))
    expect(body).toBe('x')
  })

  it('W63 W8 a runner that says session_start for another generation does not shut out the next one', async () => {
    const { asRunner, log, status } = await start()
    const forged = { generation: 99, sandbox: 'none', previousSeq: 7, sandboxId: 'box' }
    expect(await asRunner(notification('_posthog/session_start', forged))).toMatchObject({ status: 202 })
    expect((await log()).at(-1)?.params).toEqual({ sandboxId: 'box', generation: 1 })
    expect(await status()).toMatchObject({ runner: { generation: 1 } })
  })

  it('W63 W7 an ack without an id names the oldest message, but none that a producer has numbered', async () => {
    const { hub, at, asRunner, token, log } = await start()
    await hub.post(at, [message('one'), message('two')])
    await asRunner(notification('_posthog/ack', { for: 'user_message' }))
    expect((await log()).at(-1)?.params).toMatchObject({ id: 2 })
    const headers = { 'Producer-Id': 'runner', 'Producer-Epoch': '1', 'Producer-Seq': '0' }
    await hub.post(at, notification('_posthog/ack', { for: 'user_message' }), { token, headers })
    expect((await log()).at(-1)?.params).not.toHaveProperty('id')
  })

  it('W63 W30 a question that was answered is closed when the next one is asked, by runners that know no end', async () => {
    const { hub, at, ask, log } = await start()
    for (let n = 0; n < 105; n++) {
      expect(await ask({ questionId: `q${n}`, question: 'Which?' })).toMatchObject({ status: 202 })
      await hub.post(at, notification('_posthog/user_response', { questionId: `q${n}`, answer: 'x' }))
    }
    const closed = (await log()).filter(({ method }) => method === '_posthog/question_closed')
    expect(closed.map(({ params }) => params.questionId)).toEqual(
      Array.from({ length: 104 }, (_, n) => `q${n}`),
    )
  })

  it('W63 a JSON body is read even if its Content-Type is the default of an HTTP library', async () => {
    const { hub, at } = await start()
    for (const type of ['text/plain;charset=UTF-8', 'application/x-www-form-urlencoded']) {
      const headers = { 'Content-Type': type }
      expect(await hub.post(at, notification('_posthog/cancel'), { headers }), type).toMatchObject({
        status: 202,
      })
    }
  })

  it('W63 W16 an Accept that names nothing takes a stream', async () => {
    const { hub, at } = await start()
    expect((await hub.stream(at, '', { Accept: '' })).answer.status).toBe(200)
    expect((await hub.stream(at, '', { Accept: 'application/json' })).answer.status).toBe(406)
  })

  it('W63 W24 lists of bare hashes are read, and answered with the names of blobs', async () => {
    const { hub, at } = await start()
    const [here, missing] = [hashOf('here'), hashOf('missing')]
    await hub.post(at, notification('_posthog/file_sync', { path: 'a', content: 'here' }))
    const answer = await hub.ask('POST', paths.fileUrls(at), { body: { hashes: [here, missing] } })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        urls: { [`sha256_${here}`]: expect.any(String) },
        missing: { [`sha256_${missing}`]: expect.any(String) },
      },
    })
    const pack = await hub.ask('POST', paths.blobs(at), { body: { hashes: [here] } })
    expect(pack.status).toBe(200)
    expect(String(pack.body)).toContain('here')
  })

  it('W63 a client may not tell the status of the agent', async () => {
    const { hub, at } = await start()
    expect(await hub.post(at, { type: 'agent_status', status: 'idle' })).toMatchObject({ status: 403 })
  })
})

describe('W64 the last commit', () => {
  it('W64 is on the branch that it names; the checkpoint stands beside it', async () => {
    const { asRunner, status } = await start()
    const commit = (params: Record<string, unknown>) => asRunner(notification('_posthog/git_commit', params))
    await commit({ sha: 'aaaa', branch: 'main', kind: 'commit' })
    await commit({ sha: 'cccc', branch: 'main', head: 'bbbb', kind: 'checkpoint', upTo: 1 })
    expect(await status()).toMatchObject({
      lastCommit: { sha: 'bbbb', branch: 'main' },
      lastCheckpoint: { sha: 'cccc' },
    })
    await commit({ sha: 'dddd', branch: null, kind: 'checkpoint', upTo: 1 })
    expect(await status()).toMatchObject({ lastCommit: { sha: 'bbbb' }, lastCheckpoint: { sha: 'dddd' } })
    await commit({ sha: 'eeee', branch: 'work', head: null, kind: 'checkpoint', upTo: 1 })
    expect(await status()).toMatchObject({ lastCommit: null, lastCheckpoint: { sha: 'eeee' } })
  })

  it('W64 an expired run can be read as its status, its log, and by readers who know of it', async () => {
    const { hub, at } = await start({ sessionExpiryMinutes: 0.0001 })
    await expect
      .poll(async () => (await hub.post(at, notification('_posthog/cancel'))).status, { timeout: 120_000 })
      .toBe(404)
    expect((await hub.stream(at)).answer.status).toBe(404)
    expect((await hub.stream(at, '?files=together')).answer.status).toBe(200)
    expect((await hub.ask('GET', paths.status(at))).status).toBe(200)
    expect((await hub.ask('GET', paths.log(at))).status).toBe(200)
  })
})

describe('W14 a web hook that would never be called', () => {
  it.each([
    ['a private address', 'http://10.0.0.1/hook', 'private network'],
    ['this machine', 'https://localhost/hook', 'private network'],
    ['an address of the loopback', 'https://[::1]:8443/', 'private network'],
    ['another scheme', 'ftp://example.org/', 'url'],
  ])('W14 is refused with the reason: %s', async (_, url, why) => {
    const { hub, at } = await start()
    const callbacks = [{ url, events: ['done'] }]
    const answer = await hub.post(at, { type: 'register_callback', callbacks })
    expect(answer).toMatchObject({ status: 400, body: { error: { field: 'callbacks.0.url' } } })
    expect(JSON.stringify(answer.body)).toContain(why)
  })

  it.each(['register_callback', '_posthog/register_callback'])(
    'W14 is refused with the reason: sent as %s, and none is in the log',
    async (method) => {
      const { hub, at, log } = await start()
      const hook = (url: string) =>
        hub.post(at, notification(method, { callbacks: [{ url, events: ['done'], secret: 'hush' }] }))
      expect(await hook('http://10.0.0.1/')).toMatchObject({
        status: 400,
        body: { error: { field: 'callbacks.0.url' } },
      })
      expect(await hook('http://198.51.100.7/')).toMatchObject({ status: 200, body: { registered: 1 } })
      expect(JSON.stringify(await log())).not.toContain('hush')
    },
  )

  it('W14 is refused with the reason: events of another name', async () => {
    const { hub, at } = await start()
    const callbacks = [{ url: 'https://example.org/', events: ['finished'] }]
    const answer = await hub.post(at, { type: 'register_callback', callbacks })
    expect(answer).toMatchObject({ status: 400, body: { error: { field: 'callbacks.0.events.0' } } })
  })
})
