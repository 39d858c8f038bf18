import { expect, it } from 'vitest'
import { syncthingConfig } from './syncthing-config.ts'

it('two syncthings know only each other, by loopback addresses', () => {
  const own = { home: '/own', id: 'OWN', port: 1001, guiPort: 1002 }
  const other = { home: '/other', id: 'OTHER', port: 2001, guiPort: 2002 }
  const config = syncthingConfig(own, other, '/folder')
  expect([...config.matchAll(/tcp:\/\/([^<]+)</g)].map((found) => found[1])).toEqual([
    '127.0.0.1:1001',
    '127.0.0.1:2001',
    '127.0.0.1:1001',
  ])
  for (const name of ['globalAnnounceEnabled', 'localAnnounceEnabled', 'relaysEnabled', 'natEnabled']) {
    expect(config).toContain(`<${name}>false</${name}>`)
  }
})
