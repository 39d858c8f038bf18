import { describe, expect, it } from 'vitest'
import { hideSandboxAddresses } from './hide-sandbox-addresses.ts'

describe('what went wrong in a sandbox', () => {
  const inside = 'bubblewrap'
  it('names a repository by its own address, and no port or socket that is only inside', () => {
    const said =
      "fatal: unable to access 'http://127.0.0.1:44399/git/https/example.org/me/garden.git/': The requested URL returned error: 404"
    expect(hideSandboxAddresses(said, inside)).toBe(
      "fatal: unable to access 'https://example.org/me/garden.git/': The requested URL returned error: 404",
    )
    expect(hideSandboxAddresses('proxy http://localhost:9/x refused', inside)).toBe(
      'proxy (an address inside the sandbox) refused',
    )
    expect(hideSandboxAddresses('http://127.0.0.1:9/v1: refused (see ws://localhost:8/a).', inside)).toBe(
      '(an address inside the sandbox): refused (see (an address inside the sandbox)).',
    )
    expect(hideSandboxAddresses('connect ENOENT /run/farhand/hub.sock', inside)).not.toContain('/run/')
    expect(hideSandboxAddresses('see https://example.org:8080/a', inside)).toBe(
      'see https://example.org:8080/a',
    )
  })

  it('reads a long path once, and not again from each of its slashes', () => {
    const long = '/a'.repeat(400_000)
    expect(hideSandboxAddresses(long, inside)).toBe(long)
    expect(hideSandboxAddresses(`unix:${long}/hub.sock`, inside)).toBe('unix:(a socket of the sandbox)')
  })

  it('keeps addresses of the computer on which the user runs an agent', () => {
    expect(hideSandboxAddresses('no model at http://localhost:11434', 'none')).toBe(
      'no model at http://localhost:11434',
    )
  })
})
