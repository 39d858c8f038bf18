import { expect, it } from 'vitest'
import { addressGroup, connectionLimits } from './connection-limits.ts'

it.each([256, 1024, 20_000, 1_000_000])(
  'of %s file descriptors enough stay for files when all connections are taken',
  (all) => {
    const { most, localSocket, sandboxes } = connectionLimits(all)
    expect(most).toBeGreaterThanOrEqual(16)
    // Each connection may have a file open, too.
    expect(all - 2 * most - localSocket - sandboxes).toBeGreaterThanOrEqual(Math.min(64, all / 4))
  },
)

it('an operator can ask for fewer connections, and not for more than there are descriptors', () => {
  expect(connectionLimits(1024, 10).most).toBe(10)
  expect(connectionLimits(1024, 1_000_000).most).toBe(connectionLimits(1024).most)
})

it('neither one address without sign-in nor one user can take all connections', () => {
  const { most, strangersPerAddress, perUser } = connectionLimits(1024)
  expect(strangersPerAddress).toBeLessThan(most)
  expect(perUser).toBeLessThan(most)
})

it('IPv6 addresses count by their network, and those that carry an IPv4 address as that', () => {
  expect(addressGroup('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2')
  expect(addressGroup('2001:db8:1:2::9')).toBe('2001:db8:1:2')
  expect(addressGroup('::1')).toBe('0:0:0:0')
  expect(addressGroup('fe80::1%eth0')).toBe('fe80:0:0:0')
  expect(addressGroup('::ffff:192.0.2.1')).toBe('192.0.2.1')
  expect(addressGroup('192.0.2.1')).toBe('192.0.2.1')
})
