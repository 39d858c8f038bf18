import { createHash } from 'node:crypto'
import { paths } from '@farhand/protocol/wire/routes'
import { expect, it } from 'vitest'
import { HubUnderTest, message } from '../hub-under-test.ts'

const page = Buffer.from('<!doctype html><script>alert(1)</script>')

it('nothing that a hub answers can be run, framed, guessed at, kept, or read by pages of others', async () => {
  const hub = await HubUnderTest.start()
  const at = await hub.run()
  await hub.post(at, message(page.toString()))
  const hash = `sha256_${createHash('sha256').update(page).digest('hex')}`
  const asked = await hub.ask('POST', paths.fileUrls(at), { body: { hashes: [hash] } })
  const { missing } = asked.body as unknown as { missing: Record<string, string> }
  await fetch(missing[hash]!, { method: 'PUT', body: page })
  const blob = String((await hub.ask('GET', `${paths.fileUrl(at)}?hash=${hash}`)).body.url)

  const answers = await Promise.all(
    [
      '/api/me',
      '/api/runs',
      '/api/nothing',
      '/<script>',
      '/healthz',
      '/metrics',
      '/api/openapi.json',
      paths.log(at),
      blob,
    ].map(async (path) => [path, await hub.ask('GET', path)] as const),
  )
  const pack = await hub.ask('POST', paths.blobs(at), { body: { hashes: [hash] } })
  const stream = await hub.stream(at)
  const all = [...answers, ['a pack', pack] as const, ['a stream', stream.answer] as const]
  for (const [path, { headers }] of all) {
    expect(headers.get('x-content-type-options'), path).toBe('nosniff')
    expect(headers.get('content-security-policy'), path).toMatch(/^sandbox; default-src 'none'/)
    expect(headers.get('cross-origin-resource-policy'), path).toBe('same-origin')
    expect(headers.get('access-control-allow-origin'), path).toBeNull()
    expect(headers.get('content-type'), path).not.toContain('html')
    expect(headers.get('cache-control'), path).toBe('no-store')
  }
  const [, opened] = answers.at(-1)!
  expect(opened.headers.get('content-disposition')).toBe('attachment')
})
