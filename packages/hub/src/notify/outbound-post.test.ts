import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { AddressRefused, outboundPost } from './outbound-post.ts'

const call = (url: string) => ({ url, headers: {}, body: 'x' })

it('W49 an address in a private network is not called, in any spelling', async () => {
  for (const host of [
    ...['127.0.0.1', '127.1', '0x7f000001', '2130706433', '0177.0.0.1', 'localhost'],
    ...['0.0.0.0', '10.1.2.3', '169.254.169.254', '172.16.0.1', '192.168.0.1', '100.64.0.1'],
    ...['[::]', '[::1]', '[::127.0.0.1]', '[::ffff:127.0.0.1]', '[::ffff:a9fe:a9fe]', '[64:ff9b::7f00:1]'],
    ...['[64:ff9b:1::1]', '[2002:7f00:1::]', '[fd00::1]', '[fe80::1]', '[ff02::1]', '[2001:db8::1]'],
  ])
    for (const allowPlain of [false, true]) {
      const url = `${allowPlain ? 'http' : 'https'}://${host}:1/`
      await expect(outboundPost(call(url), { allowPrivate: false, allowPlain }), url).rejects.toThrow(
        AddressRefused,
      )
    }
  await expect(outboundPost(call('http://198.51.100.1/'), { allowPrivate: false })).rejects.toThrow(
    AddressRefused,
  )
})

it('W49 the hub connects to the address that it checked: it looks a name up once, and nothing looks it up again', async () => {
  const asked: string[] = []
  const server = createServer((req, res) => {
    asked.push(req.headers.host!)
    res.end()
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `turning.invalid:${(server.address() as AddressInfo).port}`
  let looks = 0
  const lookUp = async () => [{ address: looks++ === 0 ? '127.0.0.1' : '192.0.2.1', family: 4 }]
  expect(await outboundPost(call(`http://${host}/`), { allowPrivate: true, lookUp })).toMatchObject({
    status: 200,
  })
  expect([looks, asked]).toEqual([1, [host]])
})

it('W49 a redirection is an answer, and is not followed', async () => {
  const asked: string[] = []
  const server = createServer((req, res) => {
    asked.push(req.url!)
    res.writeHead(302, { Location: '/elsewhere', 'Retry-After': '7' }).end()
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/first`
  expect(await outboundPost(call(url), { allowPrivate: true })).toEqual({ status: 302, retryAfterMs: 7000 })
  expect(asked).toEqual(['/first'])
})
