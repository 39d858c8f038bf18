import type { faults } from '@farhand/protocol/wire/faults'
import { describe, expect, it } from 'vitest'
import { expectRefusal, Target } from './target-under-test.ts'

const message = '{"jsonrpc":"2.0","method":"_posthog/user_message","params":{"content":"hello"}}'
type Code = keyof typeof faults

describe('requests with any head', () => {
  it('W3 bytes that are not HTTP are refused in the usual shape of a refusal', async () => {
    const target = await Target.start()
    const nonsense = [
      'hello\r\n\r\n',
      '\0\0\0\0\r\n\r\n',
      'GET\r\n\r\n',
      'GET /healthz HTTP/9.9\r\n\r\n',
      'get /healthz HTTP/1.1\r\n\r\n',
      'SSH-2.0-OpenSSH_9.2\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'.padEnd(300, 'x'),
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '{"jsonrpc":"2.0"}',
      'GET /health\0z HTTP/1.1\r\n\r\n',
      'GET /health z HTTP/1.1\r\n\r\n',
    ]
    for (const bytes of nonsense) expectRefusal(await target.send(bytes), 'request.malformed')
    // This was HTTP once.
    expectRefusal(await target.send('GET /healthz\r\n\r\n'), 'host.refused')
    await target.isUnharmed(0)
  })

  it('W3 heads that contradict themselves are refused, and nothing is stored', async () => {
    const target = await Target.start()
    const length = `Content-Length: ${message.length}\r\n`
    const cases: Record<string, [head: string, ...codes: Code[]]> = {
      'two lengths': [`${length}Content-Length: 5\r\n`, 'request.malformed'],
      'the same length twice': [`${length}${length}`, 'request.malformed'],
      'a length and chunks': [`${length}Transfer-Encoding: chunked\r\n`, 'request.malformed'],
      'chunks and a length': [`Transfer-Encoding: chunked\r\n${length}`, 'request.malformed'],
      'an unknown coding': ['Transfer-Encoding: gzip\r\n', 'request.malformed'],
      'chunks that are not last': ['Transfer-Encoding: chunked, gzip\r\n', 'request.malformed'],
      'chunks with a twist': ['Transfer-Encoding: xchunked\r\n', 'request.malformed'],
      'a negative length': ['Content-Length: -1\r\n', 'request.malformed'],
      'a length with a sign': ['Content-Length: +80\r\n', 'request.malformed'],
      'a length that is no number': ['Content-Length: many\r\n', 'request.malformed'],
      'a length beyond all numbers': [`Content-Length: ${'9'.repeat(30)}\r\n`, 'request.malformed'],
      'a length of 2 GiB': ['Content-Length: 2147483648\r\n', 'request.too-large'],
      'a folded line': [`X-Folded: one\r\n two\r\n${length}`, 'request.malformed'],
      'a NUL': [`X-Null: a\0b\r\n${length}`, 'request.malformed'],
      'a lone carriage return': [`X-Return: a\rb\r\n${length}`, 'request.malformed'],
      'a space before the colon': [`X-Space : a\r\n${length}`, 'request.malformed'],
      'a line without a name': [`: a\r\n${length}`, 'request.malformed'],
      'a line without a colon': [`X-Nothing\r\n${length}`, 'request.malformed'],
      'a line of 20 KiB': [`X-Long: ${'x'.repeat(20_000)}\r\n${length}`, 'request.headers-too-large'],
      '5,000 lines': [`${'X-Many: x\r\n'.repeat(5000)}${length}`, 'request.headers-too-large'],
      'an expectation that cannot be met': [`Expect: miracles\r\n${length}`, 'request.malformed'],
    }
    for (const [name, [head, ...codes]] of Object.entries(cases)) {
      const answer = await target.send(
        `POST ${target.sync} HTTP/1.1\r\n${target.head}Content-Type: application/json\r\n${head}\r\n${message}`,
      )
      expect(answer, name).not.toBeNull()
      expectRefusal(answer, ...codes)
    }
    await target.isUnharmed(0)
  })

  it('W3 malformed values of known headers are refused', async () => {
    const target = await Target.start()
    const cases: [head: string, ...codes: Code[]][] = [
      ['Content-Type: text/html\r\n', 'request.unsupported-type'],
      ['Content-Type: text/plains\r\n', 'request.unsupported-type'],
      ['Content-Type: application/jsonp\r\n', 'request.unsupported-type'],
      ...['Session-Id: run_00000000', 'Session-Id: ', 'Session-Id: a\r\nSession-Id: b'].map(
        (line): [string, Code] => [`Content-Type: application/json\r\n${line}\r\n`, 'session.mismatch'],
      ),
      ...[
        'Device-Id: me',
        `Device-Id: dev_${'x'.repeat(65)}`,
        'Idempotency-Key: ',
        'Idempotency-Key: two words',
        `Idempotency-Key: ${'k'.repeat(201)}`,
        'Idempotency-Key: a\r\nIdempotency-Key: b',
        'Idempotency-Key: \xe4\xf6\xfc',
        'Producer-Id: p',
        'Producer-Id: p\r\nProducer-Epoch: 0',
        'Producer-Epoch: 0\r\nProducer-Seq: 0',
        'Producer-Id: p\r\nProducer-Epoch: -1\r\nProducer-Seq: 0',
        'Producer-Id: p\r\nProducer-Epoch: 0\r\nProducer-Seq: 1.5',
        'Producer-Id: p\r\nProducer-Epoch: 0x1\r\nProducer-Seq: 0',
        'Producer-Id: p\r\nProducer-Epoch: 0\r\nProducer-Seq: 9999999999999999',
        'Producer-Id: p\r\nProducer-Epoch: 0\r\nProducer-Seq: 0\r\nProducer-Seq: 0',
        'Producer-Id: p\r\nProducer-Epoch: 0\r\nProducer-Seq: 0\r\nIdempotency-Key: k',
        `Producer-Id: ${'p'.repeat(101)}\r\nProducer-Epoch: 0\r\nProducer-Seq: 0`,
      ].map((line): [string, Code] => [`Content-Type: application/json\r\n${line}\r\n`, 'request.malformed']),
      ...['Producer-Id: p\r\nProducer-Epoch: 0\r\nProducer-Seq: 7'].map((line): [string, Code] => [
        `Content-Type: application/json\r\n${line}\r\n`,
        'producer.gap',
      ]),
    ]
    for (const [head, ...codes] of cases) expectRefusal(await target.post(message, head), ...codes)
    await target.isUnharmed(0)
  })

  it('W2 malformed tokens and hosts are refused', async () => {
    const target = await Target.start()
    const host = `Host: 127.0.0.1:${target.port}\r\n`
    const ask = (head: string) => target.send(`GET ${target.sync}/status HTTP/1.1\r\n${head}\r\n`)
    for (const token of ['', 'Bearer', 'Bearer ', 'Basic eDp5', 'bearer', 'Token x'])
      expectRefusal(await ask(`${host}Authorization: ${token}\r\n`), 'token.missing')
    for (const token of [
      'x',
      'fh_',
      `fh_${'a'.repeat(8000)}`,
      'fhr_1_run_00000000_x',
      '\xff\xfe',
      "' OR 1=1 --",
    ])
      expectRefusal(await ask(`${host}Authorization: Bearer ${token}\r\n`), 'token.invalid', 'token.missing')
    for (const cookie of ['farhand=%', 'farhand', 'farhand=', '=;=;;;', 'farhand=%00'])
      expectRefusal(await ask(`${host}Cookie: ${cookie}\r\n`), 'token.invalid', 'token.missing')
    const token = `Authorization: Bearer ${target.hub.token}\r\n`
    for (const name of [
      'evil.example',
      '127.0.0.1.evil.example',
      '127.0.0.1:99999',
      '127.0.0.1:x',
      '',
      '[::1',
      ' ',
    ])
      expectRefusal(await ask(`Host: ${name}\r\n${token}`), 'host.refused')
    expectRefusal(await ask(token), 'host.refused')
    expectRefusal(await ask(`Host: evil.example\r\n${host}${token}`), 'host.refused')
    for (const origin of ['null', 'http://evil.example', 'x', `http://127.0.0.1:1`])
      expectRefusal(await ask(`${host}${token}Origin: ${origin}\r\n`), 'origin.refused')
    await target.isUnharmed(0)
  })

  it('W3 methods that are not for an address are refused, each on a connection that lives on or ends', async () => {
    const target = await Target.start()
    for (const method of ['OPTIONS', 'TRACE', 'PATCH', 'PROPFIND', 'PURGE', 'SEARCH', 'PUT']) {
      const answer = await target.send(target.request(`${method} ${target.sync}`))
      expectRefusal(answer, 'route.method-not-allowed')
      expect(answer!.headers.get('allow')).toBe('GET, POST, DELETE')
    }
    const head = await target.send(target.request('HEAD /healthz'), { toHead: true })
    expect(head).toMatchObject({ status: 200, body: '' })
    const stream = await target.send(target.request(`HEAD ${target.sync}`), { toHead: true })
    expect(stream).toMatchObject({ status: 405, body: '' })
    expectRefusal(await target.send(target.request('OPTIONS *')), 'route.method-not-allowed')
    expectRefusal(
      await target.send(target.request('CONNECT example.org:443')),
      'request.malformed',
      'route.unknown',
    )
    await target.isUnharmed(0)
  })

  it('an offer to upgrade to another protocol is ignored, and the request is answered all the same', async () => {
    const target = await Target.start()
    for (const [protocol, connection] of [
      ['websocket', 'Upgrade'],
      ['h2c', 'Upgrade, HTTP2-Settings'],
    ]) {
      const offer = `Connection: ${connection}\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n`
      expect(await target.send(target.request('GET /healthz', '', offer))).toMatchObject({ status: 200 })
      expectRefusal(await target.send(target.request('GET /nowhere', '', offer)), 'route.unknown')
      const posted = await target.post(message, `Content-Type: application/json\r\n${offer}`)
      expect(posted).toMatchObject({ status: 202 })
    }
    await target.isUnharmed(2)
  })

  it('HTTP/1.0 is answered, and its connection closed', async () => {
    const target = await Target.start()
    const connection = await target.connect()
    const head = `${target.head}Content-Type: application/json\r\nContent-Length: ${message.length}\r\n`
    await connection.write(`POST ${target.sync} HTTP/1.0\r\n${head}\r\n${message}`)
    expect(await connection.answer()).toMatchObject({ status: 202 })
    await connection.closed
    expectRefusal(await target.send('GET /healthz HTTP/1.0\r\n\r\n'), 'host.refused')
    await target.isUnharmed(1)
  })

  it('"Expect: 100-continue" is answered with 100, and then with the result', async () => {
    const target = await Target.start()
    const expecting = 'Content-Type: application/json\r\nExpect: 100-continue\r\n'
    expect(await target.post(message, expecting)).toMatchObject({ status: 202 })
    await target.isUnharmed(1)
  })
})
