import type { NetworkInterfaceInfo } from 'node:os'
import { expect, it } from 'vitest'
import { hubUrls } from './open-server.ts'

const at = (address: string, family: 'IPv4' | 'IPv6' = 'IPv4', internal = false) =>
  [{ address, family, internal }] as unknown as NetworkInterfaceInfo[]

it('a hub is reached where it listens, and by others only if it listens for them', () => {
  const machine = {
    lo: at('127.0.0.1', 'IPv4', true),
    wlan0: [...at('192.168.1.20'), ...at('fe80::1', 'IPv6')],
    docker0: at('172.17.0.1'),
    eth1: at('169.254.3.4'),
  }
  expect(hubUrls({ host: '127.0.0.1' }, 7717, machine)).toEqual(['http://127.0.0.1:7717'])
  expect(hubUrls({ host: '::1' }, 7717, machine)).toEqual(['http://[::1]:7717'])
  expect(hubUrls({ host: '0.0.0.0' }, 7717, machine)).toEqual([
    'http://127.0.0.1:7717',
    'http://192.168.1.20:7717',
  ])
  expect(hubUrls({ host: '0.0.0.0', publicUrl: 'https://hub.example' }, 7717, machine)).toEqual([
    'https://hub.example',
  ])
})
