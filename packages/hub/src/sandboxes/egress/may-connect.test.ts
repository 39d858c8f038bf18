import { AllowedHost } from '@farhand/protocol/schemas/sandbox-terms'
import { describe, expect, it } from 'vitest'
import { connectDestination, urlDestination } from './destination.ts'
import { isPrivateAddress } from './is-private-address.ts'
import { atMost, mayConnect, type Rules, usableAddresses } from './may-connect.ts'

const privateHosts = 'any'

/** What CONNECT to this would be told by that list. */
function told(authority: string, ...allow: string[]) {
  for (const entry of allow) AllowedHost.parse(entry)
  const to = connectDestination(authority)
  return to && mayConnect({ network: { allow }, alsoHosts: [], privateHosts }, to)
}

describe('W44 a list of hosts', () => {
  it.each([
    ['example.org:443', 'example.org'],
    ['example.org:80', 'example.org'],
    ['EXAMPLE.org:443', 'Example.ORG'],
    ['example.org.:443', 'example.org'],
    ['a.example.org:443', '*.example.org'],
    ['a.b.example.org:443', '*.example.org'],
    ['bücher.example:443', 'xn--bcher-kva.example'],
    ['ex%61mple.org:443', 'example.org'],
  ])('lets %s through for %s, if it leads to a public address', (to, entry) => {
    expect(told(to, entry)).toBe('public')
  })

  it.each([
    ['example.org:8443', 'example.org:8443'],
    ['127.0.0.1:4000', '127.0.0.1:4000'],
    ['192.0.2.7:443', '192.0.2.7'],
    ['[::1]:4000', '[::1]:4000'],
    ['[0:0:0:0:0:0:0:1]:4000', '[::1]:4000'],
    ['localhost:4000', 'localhost:4000'],
    ['[2606:4700::1]:443', '[2606:4700::1]'],
    ['example.org:1', 'example.org:1'],
    ['example.org:65535', 'example.org:65535'],
  ])('lets %s through to any address, as %s names exactly that', (to, entry) => {
    expect(told(to, entry)).toBe('anywhere')
  })

  it.each([
    ['example.com:443', 'example.org'],
    ['example.org:22', 'example.org'],
    ['example.org:443', 'example.org:8443'],
    ['example.org:443', '*.example.org'],
    ['badexample.org:443', '*.example.org'],
    ['badexample.org:443', 'example.org'],
    ['example.org.evil.test:443', 'example.org'],
    ['127.0.0.1:80', '*.0.0.1'],
    ['127.0.0.1:80', 'localhost'],
    ['2130706433:80', 'localhost'],
    ['0x7f.1:80', 'example.org'],
    ['127.0.0.1:7717', '127.0.0.1:4000'],
    ['[::ffff:127.0.0.1]:4000', '127.0.0.1:4000'],
    ['xn--bcher-kva.example.evil.test:443', 'xn--bcher-kva.example'],
    ['еxample.org:443', 'example.org'],
  ])('does not let %s through for %s', (to, entry) => {
    expect(told(to, entry)).toBe('refused')
  })

  it('counts the hosts that the agent needs as if they were on the list', () => {
    const alsoHosts = ['api.model.test', '127.0.0.1:4000']
    const rules: Rules = { network: { allow: ['example.org'] }, alsoHosts, privateHosts }
    expect(mayConnect(rules, { host: 'api.model.test', port: 443 })).toBe('public')
    expect(mayConnect(rules, { host: '127.0.0.1', port: 4000 })).toBe('anywhere')
  })

  it('allows the most if several entries match', () => {
    expect(told('example.org:443', 'example.org', 'example.org:443')).toBe('anywhere')
  })

  it.each([
    ['example.org', 'me@example.org'],
    ['example.org', 'example.org/path'],
    ['example.org', 'example.org:443:443'],
    ['x.null', '*.'],
    ['null', ''],
  ])('has nothing to say about %s in what is no host: %s', (host, entry) => {
    const rules: Rules = { network: { allow: [] }, alsoHosts: [entry], privateHosts }
    expect(mayConnect(rules, { host, port: 443 })).toBe('refused')
  })

  it('is empty under none, even if the agent needs a host', () => {
    const rules: Rules = { network: 'none', alsoHosts: ['api.model.test'], privateHosts }
    expect(mayConnect(rules, { host: 'api.model.test', port: 443 })).toBe('refused')
  })

  it('does not count under full', () => {
    const rules: Rules = { network: 'full', alsoHosts: [], privateHosts }
    expect(mayConnect(rules, { host: 'a', port: 1 })).toBe('anywhere')
  })
})

describe('W50 what is public', () => {
  it('is every host at every port, as long as it leads to a public address', () => {
    const rules: Rules = { network: 'public', alsoHosts: ['127.0.0.1:4000'], privateHosts }
    expect(mayConnect(rules, { host: 'example.org', port: 22 })).toBe('public')
    expect(mayConnect(rules, { host: '127.0.0.1', port: 22 })).toBe('public')
    expect(usableAddresses('public', ['127.0.0.1', '10.0.0.1', '::1'])).toEqual([])
    expect(mayConnect(rules, { host: '127.0.0.1', port: 4000 })).toBe('anywhere')
  })

  it('is all that a run may list if the operator names no private host', () => {
    const network = { allow: ['127.0.0.1:22', 'git.internal:443'] }
    const closed: Rules = { network, alsoHosts: ['127.0.0.1:5432'], privateHosts: ['git.internal:443'] }
    expect(mayConnect(closed, { host: '127.0.0.1', port: 22 })).toBe('public')
    expect(mayConnect(closed, { host: '127.0.0.1', port: 5432 })).toBe('public')
    expect(mayConnect(closed, { host: 'git.internal', port: 443 })).toBe('anywhere')
    expect(atMost(closed, { host: 'git.internal', port: 22 })).toBe('public')
  })
})

describe('a destination', () => {
  it.each([
    'example.org',
    'example.org:',
    'example.org:0',
    'example.org:65536',
    'example.org:443/path',
    'http://example.org:443',
    'example.org@evil.test:443',
    'evil.test:443@example.org:443',
    'example.org\\@evil.test:443',
    'example.org:443#:80',
    'example.org?:443',
    '[fe80::1%25eth0]:443',
    '::1:443',
    ' example.org:443',
    'example.org..:443',
    '.:443',
    ':443',
    `${'a'.repeat(254)}:443`,
  ])('is not read out of CONNECT %s', (authority) => {
    expect(connectDestination(authority)).toBeNull()
  })

  it('is the host after the user part of a URL', () => {
    expect(urlDestination(new URL('http://example.org:80@evil.test/'))).toEqual({
      host: 'evil.test',
      port: 80,
    })
    expect(urlDestination(new URL('http://example.org\\@evil.test/'))).toEqual({
      host: 'example.org',
      port: 80,
    })
    expect(urlDestination(new URL('https://example.org/'))).toEqual({ host: 'example.org', port: 443 })
    expect(urlDestination(new URL('https://[::1]:8443/'))).toEqual({ host: '::1', port: 8443 })
  })
})

describe('an address of HTTP', () => {
  it('leads nowhere by a port or a name that there cannot be', () => {
    for (const url of ['http://example.org:0/', 'http://example.org../', `http://${'a'.repeat(254)}/`])
      expect(urlDestination(new URL(url))).toBeNull()
    expect(urlDestination(new URL('http://example.org:1/'))?.port).toBe(1)
    expect(urlDestination(new URL(`http://${'a'.repeat(253)}/`))).not.toBeNull()
  })
})

describe('a name that leads to the machine of the hub', () => {
  const here = ['127.0.0.1', '::1', '10.1.2.3', '169.254.169.254', '192.168.1.1', '172.31.0.1', '100.64.0.1']
  const disguised = ['::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1', '2002:7f00:1::', '::127.0.0.1']
  const others = [
    '0.0.0.0',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'fd00::1',
    'ff02::1',
    '224.0.0.1',
    'nonsense',
    '',
    '8.8.8.8.8',
    '256.8.8.8',
    '2001::1',
    '2001:db8::1',
  ]
  it.each([...here, ...disguised, ...others])('is not followed to %s', (address) => {
    expect(usableAddresses('public', [address])).toEqual([])
    expect(usableAddresses('anywhere', [address])).toEqual([address])
    expect(usableAddresses('refused', [address])).toEqual([])
  })

  it('is not followed at all where it may not', () => {
    expect(usableAddresses('refused', ['1.1.1.1', '127.0.0.1'])).toEqual([])
  })

  it('is followed to those of its addresses that are elsewhere', () => {
    expect(usableAddresses('public', ['127.0.0.1', '93.184.216.34', '::1', '2606:4700::1111'])).toEqual([
      '93.184.216.34',
      '2606:4700::1111',
    ])
  })

  it('is not followed to the machine of the hub by its public address, nor to its neighbours of version 6', () => {
    const own = ['93.184.216.34', '2606:4700:1:2::10']
    const near = ['93.184.216.34', '::ffff:93.184.216.34', '2606:4700:1:2::10', '2606:4700:1:2:3:4:5:6']
    const far = ['93.184.216.35', '2606:4700:1:3::10']
    expect(usableAddresses('public', [...near, ...far], own)).toEqual(far)
    expect(usableAddresses('anywhere', near, own)).toEqual(near)
    // Its loopback address shares a /64 with every IPv4 address that is written as IPv6.
    expect(usableAddresses('public', ['93.184.216.34', '::ffff:93.184.216.34'], ['::1'])).toHaveLength(2)
  })

  it.each([
    '2002:101:101::',
    '2606:7f00:1::1',
    '2606:4700:1:2:3:4:5:6',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '::ffff:1.1.1.1',
    '64:ff9b::101:101',
    '2001:4860::8888',
  ])('is nothing like %s', (address) => expect(isPrivateAddress(address)).toBe(false))
})
