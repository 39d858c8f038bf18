import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HubConfig } from '../../config/hub-config.ts'
import { startHub } from '../../hub.ts'
import type { WebAppSource } from '../hub-parts/web-app.ts'
import { HubUnderTest } from '../hub-under-test.ts'

const script = `console.log(${JSON.stringify('far '.repeat(500))})`

async function anApp(page: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farhand-web-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), page)
  await writeFile(join(folder, 'notes.md'), 'nobody needs this')
  await writeFile(join(folder, 'assets/main-abc.js'), script)
  await writeFile(join(folder, 'assets/main-abc.js.br'), brotliCompressSync(script))
  await writeFile(join(folder, 'assets/main-abc.js.gz'), gzipSync(script))
  return folder
}

async function hubWith(
  web: WebAppSource,
  command?: string,
): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  const data = await mkdtemp(join(tmpdir(), 'farhand-hub-'))
  const config = HubConfig.parse({ port: 0, data, logLevel: 'silent' })
  const hub = await startHub(config, undefined, web, command)
  onTestFinished(async () => {
    await hub.stop()
    await rm(data, { recursive: true, force: true })
  })
  return (path, init) => fetch(hub.url + path, init)
}

describe('the app', () => {
  it('is one page at all of its addresses, and runs no script but its own', async () => {
    const folder = await anApp('<p>one</p>')
    const ask = await hubWith(async () => ({ folder }))
    for (const path of [
      '/',
      '/in',
      '/new',
      '/settings',
      '/runs/run_12345678',
      '/runs/run_12345678/files?a=b',
    ]) {
      const page = await ask(path)
      expect([page.status, await page.text()], path).toEqual([200, '<p>one</p>'])
      const policy = page.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
      expect(policy).not.toContain('unsafe')
      for (const part of ["frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'"])
        expect(policy).toContain(part)
      expect(page.headers.get('cache-control')).toBe('no-cache')
    }
    expect((await ask('/', { method: 'HEAD' })).status).toBe(200)
    expect((await ask('/', { method: 'POST' })).headers.get('allow')).toBe('GET')
  })

  it('sends its files compressed, to be cached for ever under their names, and not again if the browser has them', async () => {
    const folder = await anApp('<p>one</p>')
    const ask = await hubWith(async () => ({ folder }))
    for (const encoding of ['br', 'gzip', 'identity']) {
      const file = await ask('/assets/main-abc.js', { headers: { 'Accept-Encoding': encoding } })
      expect(file.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding)
      expect(file.headers.get('cache-control')).toContain('immutable')
      expect(await file.text()).toBe(script)
      const etag = file.headers.get('etag') ?? ''
      const again = { 'Accept-Encoding': encoding, 'If-None-Match': etag }
      expect((await ask('/assets/main-abc.js', { headers: again })).status).toBe(304)
    }
  })

  it('names the command that works on the machine of the hub, on the page and in refusals', async () => {
    const meta = (command: string) => `<meta name="farhand-command" content="${command}" />`
    const folder = await anApp(meta('farhand'))
    const ask = await hubWith(async () => ({ folder }), 'npx farhand')
    expect(await (await ask('/')).text()).toBe(meta('npx farhand'))
    expect(await (await ask('/api/me', { headers: { authorization: 'Bearer fh_no' } })).text()).toContain(
      'npx farhand user token',
    )
    const installed = await hubWith(async () => ({ folder }))
    expect(await (await installed('/')).text()).toBe(meta('farhand'))
    const hostile = await hubWith(async () => ({ folder }), 'a"><b>')
    expect(await (await hostile('/')).text()).toBe(meta('a&quot;>&lt;b>'))
  })

  it('serves only its own files', async () => {
    const folder = await anApp('<p>one</p>')
    const ask = await hubWith(async () => ({ folder }))
    for (const path of [
      '/notes.md',
      '/assets/../../secret.txt',
      '/assets/%2e%2e/x.js',
      '/none.js',
      '/assets',
    ])
      expect((await ask(path)).status, path).toBe(404)
  })

  it('that is rebuilt is served with the next page; until then the old files are served, although they are gone from the disk', async () => {
    const folders = [await anApp('<p>one</p>'), await anApp('<p>two</p>')]
    let asked = 0
    const ask = await hubWith(async () => ({ folder: folders[Math.min(asked++, 1)]! }))
    expect(await (await ask('/')).text()).toBe('<p>one</p>')
    await rm(folders[0]!, { recursive: true })
    expect((await ask('/assets/main-abc.js')).status).toBe(200)
    expect(await (await ask('/')).text()).toBe('<p>two</p>')
  })

  it('that is missing is explained in words, and requests for other addresses do not make the hub look for it', async () => {
    let asked = 0
    const ask = await hubWith(async () => {
      asked += 1
      return { missing: 'It could not be built: no room.' }
    })
    expect((await ask('/api/none')).status).toBe(404)
    expect((await ask('/wp-login.php')).status).toBe(404)
    expect(asked).toBe(0)
    const page = await ask('/')
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('no room')])
    const none = await (await HubUnderTest.start()).ask('GET', '/', { token: null })
    expect(String(none.body)).toContain('its web app is not there')
  })
})
