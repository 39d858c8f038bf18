import { AllowedHost } from '@farhand/protocol/schemas/sandbox-terms'
import { describe, expect, it } from 'vitest'
import { modelHosts } from './model-hosts.ts'

describe('the hosts of a model', () => {
  it.each([
    [{ ANTHROPIC_BASE_URL: 'https://models.example/v1' }, ['models.example:443']],
    [{ FARHAND_MODEL_URL: 'http://127.0.0.1:4000/' }, ['127.0.0.1:4000']],
    [{ GOOGLE_GEMINI_BASE_URL: 'http://[::1]:4000' }, ['[::1]:4000']],
    [{ OPENAI_HOST: 'http://localhost:11434' }, ['localhost:11434']],
    [{ OLLAMA_HOST: '10.0.0.5:11434' }, ['10.0.0.5:11434']],
    [{ AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com' }, ['mine.openai.azure.com:443']],
    [{ COPILOT_PROVIDER_BASE_URL: 'https://user:pass@Models.Example.:8443/x' }, ['models.example:8443']],
    [
      { OPENCODE_CONFIG_CONTENT: '{"provider":{"x":{"options":{"baseURL":"http://127.0.0.1:4001/v1"}}}}' },
      ['127.0.0.1:4001'],
    ],
    [{ CODEX_CONFIG: '{"model_providers":{"m":{"base_url": "https://m.example/v1"}}}' }, ['m.example:443']],
  ])('are found in %j', (env, hosts) => {
    expect(modelHosts([], env as Record<string, string>)).toEqual(hosts)
    for (const host of hosts) AllowedHost.parse(host)
  })

  it('are those that the agent is known to use, and each is there once', () => {
    const env = { OPENAI_BASE_URL: 'https://a.example', ANTHROPIC_BASE_URL: 'https://a.example/v2' }
    expect(modelHosts(['api.openai.com', '*.example.org'], env)).toEqual([
      'api.openai.com',
      '*.example.org',
      'a.example:443',
    ])
  })

  it.each([
    { HTTPS_PROXY: 'http://proxy.example:3128', HOME: 'https://home.example' },
    { OPENAI_BASE_URL: '', ANTHROPIC_BASE_URL: 'not an address', X_BASE_URL: 'file:///etc/passwd' },
    { DB_HOST: 'db.internal', REDIS_URL: 'http://redis.internal', HOSTNAME: 'me' },
  ])('are not %j', (env) => {
    expect(modelHosts([], env as unknown as Record<string, string>)).toEqual([])
  })
})
