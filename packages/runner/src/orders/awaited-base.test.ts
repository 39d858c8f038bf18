import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { expect, it } from 'vitest'
import { AwaitedBase } from './awaited-base.ts'

const event = (method: string) => ({ notification: { jsonrpc: '2.0', method } }) as SeenEvent

it('W40 an empty workspace waits for a device’s files, until the device has sent them or a user sends a message', () => {
  const beginning = new AwaitedBase(true)
  for (const method of ['_posthog/session_start', '_posthog/device_start', '_posthog/file_sync'])
    beginning.take(event(method))
  expect(beginning.isThere).toBe(false)
  const ahead = event('_posthog/git_commit')
  beginning.take({ ...ahead, notification: { ...ahead.notification, params: { kind: 'history' } } })
  expect(beginning.isThere).toBe(false)
  beginning.take(event('_posthog/git_commit'))
  beginning.take(event('_posthog/file_sync'))
  expect(beginning.isThere).toBe(true)
  expect(new AwaitedBase(false).isThere).toBe(true)
})
