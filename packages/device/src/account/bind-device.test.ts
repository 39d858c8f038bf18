import { expect, it } from 'vitest'
import { isReadableOnTheWay } from './bind-device.ts'

it.each(['https://hub.example', 'http://127.0.0.1:7717', 'http://localhost:7717', 'http://[::1]:7717'])(
  'W72 a password is sent to %s',
  (url) => expect(isReadableOnTheWay(url)).toBe(false),
)

it.each([
  'http://hub.example',
  'http://192.0.2.7:7717',
  'http://127.0.0.1.example',
  'http://localhost.example',
])('W72 a password is not sent to %s', (url) => expect(isReadableOnTheWay(url)).toBe(true))
