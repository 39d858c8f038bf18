import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { builtinHere, builtinProcess, folder } from '../builtin-under-test.ts'
import { modelUnderTest } from '../model-under-test.ts'
import { proxyUnderTest } from '../proxy-under-test.ts'
import { modelFetch } from './load-model.ts'

const portOf = (url: string) => Number(new URL(url).port)

/** A server for HTTPS that answers every prompt with "Hello", and the file with which it is trusted. */
async function secureModel() {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder(), name)) as [string, string]
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const about = ['-subj', '/CN=model.test', '-addext', 'subjectAltName=DNS:model.test', '-days', '2']
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert, ...about], { stdio: 'ignore' })
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const choices = [{ index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }]
    response.end(`data: ${JSON.stringify({ id: 'x', choices })}\n\ndata: [DONE]\n\n`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { cert, port: (server.address() as AddressInfo).port }
}

describe('the connection to the model', () => {
  it('is that of Node if no proxy is named', async () => {
    expect(await modelFetch({ NO_PROXY: '*', HTTP_PROXY: '' })).toBe(fetch)
  })

  it.each(['HTTP_PROXY', 'http_proxy'])(
    'leads through %s for plain HTTP, as a request that names it',
    async (name) => {
      const model = await modelUnderTest([{ says: ['Hel', 'lo'] }])
      const proxy = await proxyUnderTest(portOf(model.url))
      const builtin = await builtinHere({ FARHAND_MODEL_URL: 'http://model.test', [name]: proxy.url })
      expect((await builtin.prompt('hello')).stopReason).toBe('end_turn')
      expect(builtin.words).toBe('Hello')
      expect(proxy.asked).toEqual([
        'GET http://model.test/v1/models',
        'POST http://model.test/v1/chat/completions',
      ])
    },
  )

  it('goes through a tunnel of HTTPS_PROXY for HTTPS', async () => {
    const model = await secureModel()
    const proxy = await proxyUnderTest(model.port)
    const builtin = await builtinProcess({
      OPENAI_API_KEY: 'secret',
      OPENAI_BASE_URL: 'https://model.test',
      HTTPS_PROXY: proxy.url,
      NODE_EXTRA_CA_CERTS: model.cert,
    })
    expect((await builtin.prompt('hello')).stopReason).toBe('end_turn')
    expect(builtin.words).toBe('Hello')
    expect(proxy.asked).toEqual(['CONNECT model.test:443'])
  })

  it('goes past the proxy to this machine, and to hosts in NO_PROXY', async () => {
    const model = await modelUnderTest([])
    const proxy = await proxyUnderTest(1)
    const through = await modelFetch({ HTTP_PROXY: proxy.url, NO_PROXY: '.test' })
    expect((await through(`${model.url}/models`)).status).toBe(200)
    // This host does not exist: what counts is that the proxy is not asked for it.
    await through('http://model.test/').catch(() => {})
    expect(proxy.asked).toEqual([])
  })
})
