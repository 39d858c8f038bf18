import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { newId, ProjectId, RunId, UserId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import { readFileAddress, signFileAddress } from './file-address.ts'
import { mayInProject, mayInRun } from './may.ts'
import type { Principal } from './principal.ts'
import { readRunnerToken, runnerToken } from './runner-token.ts'
import { Secret } from './secret.ts'

const secret = new Secret(Buffer.alloc(32, 1))
const other = new Secret(Buffer.alloc(32, 2))
const run = newId(RunId, 'run')
const project = newId(ProjectId, 'prj')

describe('runner tokens', () => {
  it('W8 say their run and generation, and only to the hub that made them', () => {
    const token = runnerToken(secret, run, 3)
    expect(readRunnerToken(secret, token)).toEqual({ run, generation: 3 })
    expect(readRunnerToken(other, token)).toBeNull()
    expect(readRunnerToken(secret, token.replace('fhr_3', 'fhr_4'))).toBeNull()
    expect(readRunnerToken(secret, `${token}x`)).toBeNull()
    expect(readRunnerToken(secret, 'fh_something')).toBeNull()
  })
})

describe('file addresses', () => {
  const hash = `sha256_${'0'.repeat(64)}` as BlobHash
  const query = (address: string) => new URL(address, 'http://hub').searchParams

  it('W24 allow one action on one blob of one project until they expire', () => {
    const address = query(signFileAddress(secret, 'get', project, hash, 10_000))
    expect(readFileAddress(secret, 'get', hash, address, 9_000)).toEqual({ project, hash })
    expect(readFileAddress(secret, 'get', hash, address, 10_001)).toBeNull()
    expect(readFileAddress(secret, 'put', hash, address, 9_000)).toBeNull()
    expect(readFileAddress(other, 'get', hash, address, 9_000)).toBeNull()
  })
})

describe('authorization', () => {
  const [ada, bob] = [newId(UserId, 'usr'), newId(UserId, 'usr')]
  const user = (id: UserId): Principal => ({
    kind: 'user',
    user: id,
    name: 'ada',
    role: 'owner',
    author: { kind: 'web', id },
    session: null,
    device: null,
    tokenId: 'tok_1',
  })
  const runner: Principal = { kind: 'runner', run, generation: 1, author: { kind: 'runner', generation: 1 } }

  const guest: Principal = {
    ...{ kind: 'guest', run, link: 'lnk_1', expiresAt: '2026-03-01T12:00:00.000Z' },
    author: { kind: 'web', id: 'lnk_1' },
  }

  it('W110 a viewer sees a project, a member works in it, its owner administers it; others do not learn of it', () => {
    const decided = (role: 'owner' | 'member' | 'viewer' | null) =>
      (['view', 'work', 'own'] as const).map((needs) => mayInProject(user(ada), role, needs))
    expect(decided('owner')).toEqual(['yes', 'yes', 'yes'])
    expect(decided('member')).toEqual(['yes', 'yes', 'refused'])
    expect(decided('viewer')).toEqual(['yes', 'refused', 'refused'])
    expect(decided(null)).toEqual(['hidden', 'hidden', 'hidden'])
    expect(mayInProject(runner, null, 'view')).toBe('hidden')
    expect(mayInProject(guest, null, 'view')).toBe('hidden')
  })

  it('W8 W110 a runner uses its own run alone, and a guest only views the run of the link', () => {
    const other = { id: newId(RunId, 'run') }
    expect(mayInRun(user(bob), { id: run }, 'member', 'work')).toBe('yes')
    expect(mayInRun(user(bob), { id: run }, null, 'view')).toBe('hidden')
    expect(mayInRun(runner, { id: run }, null, 'work')).toBe('yes')
    expect(mayInRun(runner, other, null, 'view')).toBe('hidden')
    expect(mayInRun(guest, { id: run }, null, 'view')).toBe('yes')
    expect(mayInRun(guest, { id: run }, null, 'work')).toBe('refused')
    expect(mayInRun(guest, other, null, 'view')).toBe('hidden')
  })
})
