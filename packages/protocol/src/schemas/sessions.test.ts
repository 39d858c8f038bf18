import { expect, it } from 'vitest'
import { SessionName, urlForOthers } from './sessions.ts'

it('other machines reach a hub at addresses that are not loopback', () => {
  expect(urlForOthers(['http://127.0.0.1:7717', 'http://localhost:1', 'http://[::1]:7717'])).toBeNull()
  expect(urlForOthers(['http://127.0.0.1:7717', 'http://192.168.1.2:7717'])).toBe('http://192.168.1.2:7717')
})

it('W47 a device is called something that can be seen, on one line', () => {
  expect(SessionName.parse({ name: ' 台所の電話 📱 ' })).toEqual({ name: '台所の電話 📱' })
  for (const name of ['', '\u200b', 'a\nb', '\u202ea', 'x'.repeat(101)])
    expect(SessionName.safeParse({ name }).success, JSON.stringify(name)).toBe(false)
})
