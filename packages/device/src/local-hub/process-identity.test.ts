import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { expect, it } from 'vitest'
import { identityOf, isGoneWithin, isThere } from './process-identity.ts'

it('a process is known by its pid and its start, and gone when it has ended', async () => {
  const me = identityOf(process.pid)!
  expect([me.pid, isThere(me), isThere({ ...me, since: 'another start' })]).toEqual([
    process.pid,
    true,
    false,
  ])
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  const id = identityOf(child.pid!)!
  expect(await isGoneWithin(id, 0)).toBe(false)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect([await isGoneWithin(id, 10_000), identityOf(id.pid)]).toEqual([true, null])
})
