import { FileUrls } from '@farhand/protocol/schemas/api'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'
import { expectRefusal, Target } from './target-under-test.ts'

const hash = `sha256_${'a'.repeat(64)}`

describe('requests to any address', () => {
  it('W2 W3 unknown paths are refused, and reach nothing outside', async () => {
    const target = await Target.start()
    const { project, task, run } = target.at
    const wrong = [
      '/nowhere',
      '//',
      '/..',
      '/../../../../etc/passwd',
      '/files/../store.sqlite',
      '/files/%2e%2e%2fstore.sqlite',
      '/files',
      '/files/',
      '/%',
      '/%zz',
      '/%00',
      '/%ff%fe',
      '/api/projects%2f',
      '/api/projects/',
      '/API/projects',
      '/api/projects/%',
      `/api/projects/${project}/tasks/${task}/runs/${run}/sync/`,
      `/api/projects/${project}/tasks/${task}/runs/${run}/sync/../../..`,
      `/api/projects/${project}/tasks/${task}/runs/${run}/sync;x`,
      `/${'x'.repeat(10_000)}`,
      `/${'../'.repeat(3000)}`,
      `/api/projects/${'x'.repeat(5000)}`,
      'api/projects',
      '/\xff\xfe\xfd',
      '/healthz\x7f',
      '/healthz%0d%0aX: y',
    ]
    for (const path of wrong) {
      const answer = await target.send(target.request(`GET ${path}`))
      expectRefusal(answer, 'route.unknown', 'request.malformed', 'project.unknown', 'blob.url-refused')
    }
    const odd = [
      'x',
      '..',
      '%2e%2e',
      'prj_',
      'prj_00000000',
      'prj_%00',
      '%27%20OR%201=1',
      'prj_'.padEnd(90, '0'),
      '%ff',
      '%u0041',
      '__proto__',
      'constructor',
    ]
    for (const name of odd) {
      expectRefusal(
        await target.send(target.request(`GET /api/projects/${name}`)),
        'project.unknown',
        'route.unknown',
      )
      expectRefusal(
        await target.send(target.request(`GET /api/projects/${name}/tasks`)),
        'project.unknown',
        'route.unknown',
      )
      expectRefusal(
        await target.send(target.request(`GET /api/projects/${project}/tasks/${name}`)),
        'task.unknown',
        'route.unknown',
      )
      for (const rest of ['', '/sync', '/sync/status', '/sync/log', `/sync/file-url?hash=${hash}`]) {
        const at = `/api/projects/${project}/tasks/${task}/runs/${name}${rest}`
        expectRefusal(await target.send(target.request(`GET ${at}`)), 'run.unknown', 'route.unknown')
      }
    }
    expectRefusal(
      await target.send(`GET /${'x'.repeat(70_000)} HTTP/1.1\r\n${target.head}\r\n`),
      'request.headers-too-large',
    )
    await target.isUnharmed(0)
  })

  it('an absolute address is the same as its path', async () => {
    const target = await Target.start()
    const answer = await target.send(target.request(`GET http://127.0.0.1:${target.port}/healthz?x=%`))
    expect(answer).toMatchObject({ status: 200 })
    await target.isUnharmed(0)
  })

  it('W16 malformed cursors and choices are refused', async () => {
    const target = await Target.start()
    await target.hub.post(target.at, { jsonrpc: '2.0', method: '_drill/event' })
    const stream = 'Accept: text/event-stream\r\n'
    const numbers = [
      '',
      '-1',
      '+1',
      '1.5',
      '1e3',
      '0x1',
      ' 1',
      '1 ',
      'NaN',
      'null',
      '٣',
      '9'.repeat(16),
      '9'.repeat(5000),
      '1,1',
      '%00',
      '%',
    ]
    for (const number of numbers) {
      const query = number.replaceAll(' ', '+')
      const asked = [
        target.request(`GET ${target.sync}?last_event_id=${encodeURI(query)}`, '', stream),
        target.request(`GET ${paths.log(target.at)}?after=${encodeURI(query)}`),
      ]
      // An empty or blank header says nothing.
      if (number.trim() === number && number !== '' && !/[^ -~]/.test(number))
        asked.push(target.request(`GET ${target.sync}`, '', `${stream}Last-Event-ID: ${number}\r\n`))
      for (const request of asked) expectRefusal(await target.send(request), 'request.malformed')
    }
    for (const ahead of ['2', '999999999999999']) {
      expectRefusal(
        await target.send(target.request(`GET ${target.sync}?last_event_id=${ahead}`, '', stream)),
        'cursor.ahead',
      )
      expectRefusal(
        await target.send(target.request(`GET ${paths.log(target.at)}?after=${ahead}`)),
        'cursor.ahead',
      )
    }
    for (const choice of [
      'start=first',
      'start=',
      'envelope=all',
      'to=me',
      'envelope=__proto__',
      'files=some',
    ])
      expectRefusal(
        await target.send(target.request(`GET ${target.sync}?${choice}`, '', stream)),
        'request.malformed',
      )
    for (const accept of [
      'Accept: */html\r\n',
      'Accept: application/json\r\n',
      'Accept: text/event-streams\r\n',
    ])
      expectRefusal(
        await target.send(target.request(`GET ${target.sync}`, '', accept)),
        'request.not-acceptable',
      )
    const pages = [
      'x',
      '%',
      '%00',
      'x'.repeat(5000),
      'eyJ9',
      '-1',
      "'",
      'prj_',
      '[]',
      'bnVsbA',
      '%F0%9F%98%80',
    ]
    for (const cursor of pages) {
      for (const list of [
        paths.projects(),
        paths.tasks(target.at.project),
        paths.runs(target.at.project, target.at.task),
      ])
        expectRefusal(await target.send(target.request(`GET ${list}?cursor=${cursor}`)), 'request.malformed')
    }
    await target.isUnharmed(1)
  })

  it('W24 malformed hashes and file addresses open nothing', async () => {
    const target = await Target.start()
    const hashes = [
      '',
      'x',
      'sha256_',
      hash.toUpperCase(),
      hash.slice(0, -1),
      `${hash}a`,
      `${hash}%0a`,
      `../${hash}`,
      hash.replace('sha256', 'sha512'),
      '%00',
      '%',
    ]
    for (const name of hashes) {
      const asked = target.request(`GET ${paths.fileUrl(target.at)}?hash=${name}`)
      expectRefusal(await target.send(asked), 'request.malformed')
      for (const method of ['GET', 'PUT']) {
        const file = target.request(
          `${method} /files/${name}?expires=9999999999999&project=${target.at.project}&signature=x`,
        )
        expectRefusal(await target.send(file), 'blob.url-refused', 'route.unknown')
      }
    }
    expectRefusal(
      await target.send(target.request(`GET ${paths.fileUrl(target.at)}?hash=${hash}`)),
      'blob.unknown',
    )

    const { body } = await target.hub.ask('POST', paths.fileUrls(target.at), { body: { hashes: [hash] } })
    const url = new URL(FileUrls.parse(body).missing[BlobHash.parse(hash)]!)
    const names = [...url.searchParams.keys()]
    for (const name of names) {
      for (const value of [
        '',
        'x',
        '0',
        '-1',
        '99999999999999999999',
        '\0',
        'é',
        `${url.searchParams.get(name)}0`,
        null,
      ]) {
        const twisted = new URL(url)
        if (value === null) twisted.searchParams.delete(name)
        else twisted.searchParams.set(name, value)
        const put = target.request(`PUT ${twisted.pathname}${twisted.search}`, 'bytes')
        expectRefusal(await target.send(put), 'blob.url-refused')
      }
    }
    const other = target.request(`PUT /files/${hash.replace('a', 'b')}${url.search}`, 'bytes')
    expectRefusal(await target.send(other), 'blob.url-refused')
    expectRefusal(await target.send(target.request(`GET ${url.pathname}${url.search}`)), 'blob.url-refused')
    expectRefusal(
      await target.send(target.request(`PUT ${url.pathname}${url.search}`, 'other bytes')),
      'blob.mismatch',
    )
    await target.isUnharmed(0)
  })
})
