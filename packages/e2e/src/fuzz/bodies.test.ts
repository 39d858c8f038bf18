import type { faults } from '@farhand/protocol/wire/faults'
import { limits } from '@farhand/protocol/wire/limits'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'
import { expectRefusal, Target } from './target-under-test.ts'

type Code = keyof typeof faults
const lines = 'Content-Type: application/x-ndjson\r\n'
const event = (params: string, method = '_drill/event') =>
  `{"jsonrpc":"2.0","method":"${method}","params":${params}}`
/** An event whose stored notification has exactly so many bytes. */
const eventOf = (bytes: number) => event(`{"text":"${'x'.repeat(bytes - event('{"text":""}').length)}"}`)

describe('requests with any body', () => {
  it('W10 a body that is not JSON, or not a notification, is refused whole', async () => {
    const target = await Target.start()
    const good = event('{}')
    const cases: [body: string | Buffer, ...codes: Code[]][] = [
      ...[
        '',
        ' ',
        '\n\n',
        '[',
        ']',
        '{',
        '{"jsonrpc":',
        'nul',
        "{'a':1}",
        `${good}${good}`,
        `${good},`,
        '\ufeff{}',
        '\0',
      ].map((body): [string, Code] => [body, 'request.malformed']),
      ...['null', 'true', '0', '""', '"x"', '[]', '[[]]', '[null]', '{}', `[[${good}]]`].map(
        (body): [string, Code] => [body, 'request.malformed'],
      ),
      [Buffer.from([0x22, 0xff, 0xfe, 0x22]), 'request.malformed'],
      [
        Buffer.concat([
          Buffer.from('{"jsonrpc":"2.0","method":"_x'),
          Buffer.from([0xc3, 0x28]),
          Buffer.from('"}'),
        ]),
        'request.malformed',
      ],
      [Buffer.from(good, 'utf16le'), 'request.malformed'],
      ['{"jsonrpc":"1.0","method":"_x"}', 'request.malformed'],
      ['{"jsonrpc":2.0,"method":"_x"}', 'request.malformed'],
      ['{"method":"_x"}', 'request.malformed'],
      ['{"jsonrpc":"2.0"}', 'request.malformed'],
      ['{"jsonrpc":"2.0","method":""}', 'request.malformed'],
      ['{"jsonrpc":"2.0","method":null}', 'request.malformed'],
      ['{"jsonrpc":"2.0","method":{"toString":1}}', 'request.malformed'],
      [`{"jsonrpc":"2.0","method":"_${'x'.repeat(200)}"}`, 'request.malformed'],
      ['{"jsonrpc":"2.0","method":"_x","id":[]}', 'request.malformed'],
      ['{"jsonrpc":"2.0","method":"_x","id":true}', 'request.malformed'],
      ['{"jsonrpc":"2.0","result":1,"id":1}', 'request.malformed'],
      ...['null', '[]', '"x"', '1'].map((params): [string, Code] => [event(params), 'request.malformed']),
      ...['constructor', 'toString', 'hasOwnProperty', 'x'].map((method): [string, Code] => [
        event('{}', method),
        'method.unknown',
      ]),
      ['{"__proto__":{"jsonrpc":"2.0","method":"_x"}}', 'request.malformed'],
      ['{"jsonrpc":"2.0","__proto__":{"method":"_x"}}', 'request.malformed'],
      [event('{"content":"x"}', '_posthog/session_close'), 'role.refused'],
      [event('{"text":"x"}', 'agent_message_chunk'), 'role.refused'],
      [event('{}', '_posthog/user_message'), 'request.malformed'],
      [event('{"content":7}', '_posthog/user_message'), 'request.malformed'],
      [
        event('{"path":"../etc/passwd","action":"deleted","hash":null}', '_posthog/file_sync'),
        'request.malformed',
      ],
      [event('{"questionId":{},"answer":[]}', '_posthog/user_response'), 'request.malformed'],
      [`[${good},${event('{}', 'nope')}]`, 'method.unknown'],
      [`[${good},${good},7]`, 'request.malformed'],
      [`[${good},{"jsonrpc":"2.0","method":"_posthog/session_init"}]`, 'request.malformed'],
      ['{"type":"register_callback"}', 'request.malformed'],
      [
        '{"type":"register_callback","callbacks":[{"url":"file:///etc/passwd","events":["done"]}]}',
        'request.malformed',
      ],
      [
        event(
          `{"hash":"sha256_${'0'.repeat(64)}","path":"a","action":"created","size":1,"mode":420}`,
          '_posthog/file_sync',
        ),
        'blob.missing',
        'request.malformed',
      ],
    ]
    for (const [body, ...codes] of cases) expectRefusal(await target.post(body), ...codes)
    for (const body of [
      '',
      '\n',
      `${good}\n${good}x`,
      `${good}\nnull`,
      `${good}\n[${good}]`,
      `${good}\r${good}`,
      good.replace(':', ':\n'),
    ])
      expectRefusal(await target.post(body, lines), 'request.malformed')
    await target.isUnharmed(0)
  })

  it('W10 a value that is nested too deep to be stored is refused, and so is a number that would change', async () => {
    const target = await Target.start()
    for (const depth of [1_000, 10_000, 100_000, 1_000_000]) {
      expectRefusal(await target.post('['.repeat(depth)), 'request.malformed')
      expectRefusal(await target.post('['.repeat(depth) + ']'.repeat(depth)), 'request.malformed')
      const deep = event(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)
      expectRefusal(await target.post(deep), 'request.malformed')
      expectRefusal(await target.post(`[${event('{}')},${deep}]`), 'request.malformed')
      const objects = event(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
      expectRefusal(
        await target.post(objects, 'Content-Type: application/json\r\nIdempotency-Key: k\r\n'),
        'request.malformed',
      )
    }
    for (const number of ['1e999', '-1e400', `${'9'.repeat(400)}`])
      expectRefusal(await target.post(event(`{"deep":{"list":[1,${number}]}}`)), 'request.malformed')
    await target.isUnharmed(0)
  })

  it('W17 odd but valid values come back as they went in', async () => {
    const target = await Target.start()
    const odd = [
      event('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
      event(
        '{"lone":"\\\\ud800","pair":"\\\\ud83d\\\\ude00","nul":"\\\\u0000","line":"\\\\u2028"}'.replaceAll(
          '\\\\',
          '\\',
        ),
      ),
      event('{"by":{"kind":"runner"},",\\"by\\":":1,"text":",\\"by\\":{\\"kind\\":\\"hub\\"}"}'),
      event('{}', '__proto__'),
      event('{"big":1e300,"small":5e-324,"minus":-0.5}'),
      event(`{"deep":${'['.repeat(50)}${']'.repeat(50)}}`),
      event('{"":"","id: 7\\n\\ndata: x":"id: 8\\n\\n"}'),
      '{"jsonrpc":"2.0","method":"_no/params"}',
      '{"jsonrpc":"2.0","jsonrpc":"2.0","method":"_twice","method":"_said/twice","other":"left out"}',
    ]
    for (const [index, body] of odd.entries())
      expect(await target.post(body)).toMatchObject({
        status: 202,
        body: `{"ids":[${index + 1}],"lastEventId":${index + 1}}`,
      })
    const { body } = await target.hub.ask('GET', paths.log(target.at))
    const stored = String(body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).notification)
    const sent = odd.map((text) => JSON.parse(text))
    delete sent.at(-1).other
    expect(stored.map((one) => JSON.stringify(one))).toEqual(sent.map((one) => JSON.stringify(one)))
    expect(Object.hasOwn(stored[0].params, '__proto__')).toBe(true)
    expect('polluted' in {}).toBe(false)
    const stream = await target.hub.stream(target.at)
    const seen = await stream.until(({ event }) => event === 'live')
    expect(seen.slice(0, -1).map(({ id, data }) => [id, data])).toEqual(
      sent.map((one, index) => [index + 1, JSON.stringify(one)]),
    )
    await target.isUnharmed(odd.length)
  })

  it('W10 the limits hold exactly, to the byte and to the event', async () => {
    const target = await Target.start()
    const { eventBytes, eventsPerRequest, requestBytes } = limits
    expect(await target.post(eventOf(eventBytes))).toMatchObject({ status: 202 })
    expectRefusal(await target.post(eventOf(eventBytes + 1)), 'request.too-large')
    // Few bytes on the wire, many in the log.
    const short = event(`{"n":[${'1e20,'.repeat(200_000)}0]}`)
    expect(short.length).toBeLessThanOrEqual(eventBytes)
    expectRefusal(await target.post(short), 'request.too-large')
    expectRefusal(await target.post(`[${event('{}')},${eventOf(eventBytes + 1)}]`), 'request.too-large')
    const many = (count: number) => Array.from({ length: count }, () => event('{}'))
    expect(await target.post(`[${many(eventsPerRequest).join(',')}]`)).toMatchObject({ status: 202 })
    expect(await target.post(many(eventsPerRequest).join('\n'), lines)).toMatchObject({ status: 202 })
    expectRefusal(await target.post(`[${many(eventsPerRequest + 1).join(',')}]`), 'request.too-large')
    expectRefusal(await target.post(many(eventsPerRequest + 1).join('\n'), lines), 'request.too-large')
    const full = [...Array.from({ length: 7 }, () => eventOf(eventBytes - 100)), event('{}')].join('\n')
    expect(await target.post(full.padEnd(requestBytes, ' '), lines)).toMatchObject({ status: 202 })
    expectRefusal(await target.post(full.padEnd(requestBytes + 1, ' '), lines), 'request.too-large')
    await target.isUnharmed(1 + 2 * eventsPerRequest + 8)
  })

  it('W3 the bodies of all other calls are checked as strictly', async () => {
    const target = await Target.start()
    const { project, task } = target.at
    const routes = [
      paths.projects(),
      paths.tasks(project),
      paths.runs(project, task),
      paths.runner(target.at),
      paths.fileUrls(target.at),
      paths.signIn(),
    ]
    const bodies = [
      '{',
      '[]',
      '"x"',
      'null',
      '7',
      '['.repeat(4000),
      '{"name":7,"title":[],"agent":{},"sandboxId":1,"hashes":"x","token":{}}',
    ]
    for (const route of routes) {
      for (const body of bodies)
        expectRefusal(await target.send(target.request(`POST ${route}`, body)), 'request.malformed')
      const large = target.request(`POST ${route}`, ' '.repeat(limits.eventBytes + 1))
      expectRefusal(await target.send(large), 'request.too-large')
      const broken = target.request(`POST ${route}`, Buffer.from([0xff]))
      expectRefusal(await target.send(broken), 'request.malformed')
    }
    const hashes = Array.from({ length: 1001 }, (_, n) => `sha256_${n.toString(16).padStart(64, '0')}`)
    for (const list of [hashes, [], ['sha256_x'], [null], Array.from({ length: 200_000 }, () => 7)]) {
      const body = JSON.stringify({ hashes: list })
      expectRefusal(
        await target.send(target.request(`POST ${paths.fileUrls(target.at)}`, body)),
        'request.malformed',
      )
    }
    await target.isUnharmed(0)
  })

  it('W2 names of any letters are kept as they are, or refused', async () => {
    const target = await Target.start()
    const make = (name: string) =>
      target.send(target.request(`POST ${paths.projects()}`, JSON.stringify({ name })))
    for (const name of ['a\u2028b', '"; DROP TABLE runs; --', '😀'.repeat(100), '__proto__', '\u0007']) {
      const answer = await make(name)
      const made = JSON.parse(answer!.body)
      expect(made).toMatchObject({ name })
      const found = await target.hub.ask('GET', paths.project(made.id))
      expect(found.body).toEqual(made)
    }
    for (const name of ['\0', 'a\0b', '\ud800', '', ' ', 'x'.repeat(501)])
      expectRefusal(await make(name), 'request.malformed')
    await target.isUnharmed(0)
  })
})
