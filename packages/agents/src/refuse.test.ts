import { rmSync, writeFileSync } from 'node:fs'
import { RequestError } from '@agentclientprotocol/sdk'
import { expect, it } from 'vitest'
import { refuse } from './acp-program.ts'
import { folder, rehearsalHere } from './rehearsal/rehearsal-under-test.ts'

it('an error inside an agent is reported in words, a full disk with what to do', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  expect(() => refuse(full)).toThrow('The disk where this agent keeps its sessions is full. Free some space')
  expect(() => refuse(Object.assign(full, { path: '/a/b' }))).toThrow('The disk of /a/b is full')
  expect(() => refuse(new Error('the plan is lost'))).toThrow('the plan is lost')
})

it('an intended refusal of an agent stays as it is', () => {
  const own = new RequestError(429, 'slow down', { retryAfterMs: 7 })
  expect(() => refuse(own)).toThrow(own)
})

it('a turn that fails because of a system error names it', async () => {
  const home = folder()
  const rehearsal = await rehearsalHere({ home })
  rmSync(home, { recursive: true })
  writeFileSync(home, 'in the way')
  await expect(rehearsal.prompt('say hi')).rejects.toThrow(/EEXIST|ENOTDIR/)
})
