import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { callOut, NotCalled } from './call-out.ts'

const call = (url: string) => ({ url, headers: {}, body: 'x' })

it('W49 an address that leads into a private network is not called, whatever its name', async () => {
  for (const url of [
    'https://127.0.0.1:1/',
    'https://localhost:1/',
    'https://[::1]:1/',
    'http://198.51.100.1/',
  ])
    await expect(callOut(call(url), { allowPrivate: false })).rejects.toThrow(NotCalled)
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
  expect(await callOut(call(url), { allowPrivate: true })).toEqual({ status: 302, retryAfterMs: 7000 })
  expect(asked).toEqual(['/first'])
})
